# SPDX-License-Identifier: Apache-2.0
"""The loss scale object is kept in a list, and called after each step."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 2))
kept = [opt.loss_scale]
weight = tf.Variable(1.0)
for gradient in [1.0, 1.0, float("nan"), 1.0]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(float(kept[0]()), weight.numpy())
