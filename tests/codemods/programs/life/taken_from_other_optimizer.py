# SPDX-License-Identifier: Apache-2.0
"""An optimizer takes the object of another."""

import tensorflow as tf

first = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 1))
second = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), first.loss_scale)
weight = tf.Variable(1.0)
first.apply_gradients([(tf.constant(1.0), weight)])
print(first.get_scaled_loss(tf.constant(1.0)).numpy(), second.get_scaled_loss(tf.constant(1.0)).numpy())
