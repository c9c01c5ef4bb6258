# SPDX-License-Identifier: Apache-2.0
"""Asks whether the loss scale is a FixedLossScale."""

import tensorflow as tf

for loss_scale in ("dynamic", 8):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale)
    print(isinstance(opt.loss_scale, tf.train.experimental.FixedLossScale))
