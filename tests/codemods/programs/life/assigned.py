# SPDX-License-Identifier: Apache-2.0
"""The loss scale object is replaced."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
opt._loss_scale = tf.train.experimental.DynamicLossScale(4, 2)
print(opt.get_scaled_loss(tf.constant(1.0)).numpy())
