# SPDX-License-Identifier: Apache-2.0
"""The scale is read by a call after each step."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 2))
weight = tf.Variable(1.0)
for gradient in [1.0, 1.0, float("nan"), 1.0]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(opt.loss_scale().numpy(), weight.numpy())
