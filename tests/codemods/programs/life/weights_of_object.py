# SPDX-License-Identifier: Apache-2.0
"""Reads the variables of the loss scale."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 2))
print(sorted(opt.loss_scale._weights))
