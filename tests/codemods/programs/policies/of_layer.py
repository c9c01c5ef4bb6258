# SPDX-License-Identifier: Apache-2.0
"""The policy of a layer."""

import tensorflow as tf

layer = tf.keras.layers.Dense(1, dtype=tf.keras.mixed_precision.experimental.Policy("mixed_float16"))
print(tf.keras.mixed_precision.experimental.get_layer_policy(layer).name)
