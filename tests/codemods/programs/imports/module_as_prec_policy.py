# SPDX-License-Identifier: Apache-2.0
"""A policy, by one way to import it: module as prec."""

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as prec

prec.set_policy("mixed_float16")
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name, layer.compute_dtype)
