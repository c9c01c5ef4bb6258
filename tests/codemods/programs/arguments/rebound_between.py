# SPDX-License-Identifier: Apache-2.0
"""The value that a loss scale was made from is another one later."""

import tensorflow as tf

n = 4.0
scale = tf.mixed_precision.experimental.DynamicLossScale(initial_loss_scale=n, increment_period=2)
n = 8.0
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), scale)
print(float(opt.get_scaled_loss(tf.constant(1.0))), n)
