# SPDX-License-Identifier: Apache-2.0
"""A layer is made again from its configuration under a policy."""

import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
layer = tf.keras.layers.Dense(1)
again = tf.keras.layers.Dense.from_config(layer.get_config())
print(again.compute_dtype, again.variable_dtype)
