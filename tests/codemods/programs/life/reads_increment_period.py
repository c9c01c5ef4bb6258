# SPDX-License-Identifier: Apache-2.0
"""Reads the loss scale's increment_period."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 3))
print(float(opt.loss_scale.increment_period))
