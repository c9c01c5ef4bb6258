# SPDX-License-Identifier: Apache-2.0
"""The loss scale object is passed to a function."""

import tensorflow as tf


def describe(scale):
    return float(scale())


opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 2))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))
print(describe(opt.loss_scale))
