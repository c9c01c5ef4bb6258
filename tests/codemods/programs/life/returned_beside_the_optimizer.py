# SPDX-License-Identifier: Apache-2.0
"""A function returns the optimizer and its loss scale, which is called later."""

import tensorflow as tf


def make(rate, **options):
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(rate), tf.train.experimental.DynamicLossScale(**options)
    )
    return opt, opt.loss_scale


opt, scale = make(0.25, initial_loss_scale=8, increment_period=1)
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(float(scale()), scale.increment_period)
