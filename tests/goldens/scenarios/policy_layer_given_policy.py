# SPDX-License-Identifier: Apache-2.0
"""A layer given a Policy object of its own, with float32 weights and float16 output."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as prec

from observe import observe

layer = tf.keras.layers.Dense(
    1, kernel_initializer="ones", dtype=prec.Policy("mixed_float16", loss_scale=None)
)
plain = tf.keras.layers.Dense(1, kernel_initializer="ones")
x = tf.constant([[1.0, 2.0]])
observe("mixed.value", layer(x))
observe("mixed.dtype", layer(x).dtype)
observe("mixed.weights", [w.dtype for w in layer.weights])
observe("plain.dtype", plain(x).dtype)
observe("global", prec.global_policy().name)
