# SPDX-License-Identifier: Apache-2.0
"""An optimizer is made again from its configuration."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 3))
again = tf.keras.mixed_precision.experimental.LossScaleOptimizer.from_config(opt.get_config())
print(again.get_scaled_loss(tf.constant(1.0)).numpy(), float(again.learning_rate))
