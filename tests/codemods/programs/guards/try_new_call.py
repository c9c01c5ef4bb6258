# SPDX-License-Identifier: Apache-2.0
"""The new function is called in a try, the old one in its handler."""

import tensorflow as tf

try:
    tf.keras.mixed_precision.set_global_policy("mixed_float16")
except AttributeError:
    policy = tf.keras.mixed_precision.experimental.Policy("mixed_float16")
    tf.keras.mixed_precision.experimental.set_policy(policy)
print(tf.keras.layers.Dense(1).compute_dtype)
