# SPDX-License-Identifier: Apache-2.0
"""Asks whether there is the new function."""

import tensorflow as tf
from tensorflow.keras import mixed_precision

if hasattr(mixed_precision, "set_global_policy"):
    mixed_precision.set_global_policy("mixed_float16")
else:
    mixed_precision.experimental.set_policy("mixed_float16")
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name)
