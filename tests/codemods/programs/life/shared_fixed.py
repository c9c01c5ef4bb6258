# SPDX-License-Identifier: Apache-2.0
"""Two optimizers share one fixed scale."""

import tensorflow as tf

scale = tf.train.experimental.FixedLossScale(64)
first = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), scale)
second = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), scale)
weight = tf.Variable(1.0)
for opt in (first, second):
    opt.apply_gradients([(tf.constant(1.0), weight)])
    print(opt.get_scaled_loss(tf.constant(1.0)).numpy(), weight.numpy())
