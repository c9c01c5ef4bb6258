# SPDX-License-Identifier: Apache-2.0
"""The optimizer is serialized and made again."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), 32)
config = tf.keras.optimizers.serialize(opt)
again = tf.keras.optimizers.deserialize(config)
print(again.get_scaled_loss(tf.constant(1.0)).numpy(), float(again.learning_rate))
