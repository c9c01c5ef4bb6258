# SPDX-License-Identifier: Apache-2.0
"""Asks whether a layer's policy has a loss scale."""

import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
layer = tf.keras.layers.Dense(1)
print(tf.keras.mixed_precision.experimental.get_layer_policy(layer).loss_scale is not None)
