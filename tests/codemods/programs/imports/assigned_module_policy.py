# SPDX-License-Identifier: Apache-2.0
"""A policy, by one way to import it: assigned module."""

import tensorflow as tf
mp = tf.keras.mixed_precision.experimental

mp.set_policy("mixed_float16")
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name, layer.compute_dtype)
