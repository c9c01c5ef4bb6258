# SPDX-License-Identifier: Apache-2.0
"""Compares the optimizer's object with the one that was given."""

import tensorflow as tf

scale = tf.train.experimental.DynamicLossScale(64, 2)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), scale)
print(opt.loss_scale is scale)
