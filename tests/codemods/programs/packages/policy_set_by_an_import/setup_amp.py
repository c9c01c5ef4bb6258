# SPDX-License-Identifier: Apache-2.0
"""Sets the policy of whoever imports it."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental
mp.set_policy("mixed_float16")
tf.random.set_seed(3)
print("amp is set up")
