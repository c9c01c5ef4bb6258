# SPDX-License-Identifier: Apache-2.0
"""A policy, by one way to import it: assigned names."""

import tensorflow as tf
Wrapper = tf.keras.mixed_precision.experimental.LossScaleOptimizer
set_policy = tf.keras.mixed_precision.experimental.set_policy

set_policy("mixed_float16")
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name, layer.compute_dtype)
