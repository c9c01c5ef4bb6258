# SPDX-License-Identifier: Apache-2.0
"""Two optimizers share one object."""

import tensorflow as tf

scale = tf.train.experimental.DynamicLossScale(64, 2)
first = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), scale)
second = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), scale)
weight = tf.Variable(1.0)
for gradient in [1.0, 1.0, float("nan"), 1.0]:
    first.apply_gradients([(tf.constant(gradient), weight)])
    print(second.get_scaled_loss(tf.constant(1.0)).numpy(), weight.numpy())
