# SPDX-License-Identifier: Apache-2.0
"""Layers get policies of their own, as objects, names and types."""

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as prec

half = prec.Policy("mixed_float16", loss_scale=None)
layers = [
    tf.keras.layers.Dense(2, dtype=half),
    tf.keras.layers.Dense(2, dtype="mixed_bfloat16"),
    tf.keras.layers.Dense(2, dtype=prec.Policy("float32")),
    tf.keras.layers.Dense(2, dtype=tf.float16),
]
for layer in layers:
    policy = prec.get_layer_policy(layer)
    print(policy.name, policy.compute_dtype, policy.variable_dtype, layer(tf.ones([1, 2])).dtype.name)
