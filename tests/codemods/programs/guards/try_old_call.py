# SPDX-License-Identifier: Apache-2.0
"""The old function is called in a try, the new one in its handler."""

import tensorflow as tf

try:
    tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
except AttributeError:
    tf.keras.mixed_precision.set_global_policy("mixed_float16")
print(tf.keras.layers.Dense(1).compute_dtype)
