# SPDX-License-Identifier: Apache-2.0
"""Reads the loss scale's _num_good_steps."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 3))
weight = tf.Variable(1.0)
for gradient in (1.0, float("nan"), 1.0):
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(float(opt.loss_scale._num_good_steps))
