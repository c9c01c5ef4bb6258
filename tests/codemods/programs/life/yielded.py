# SPDX-License-Identifier: Apache-2.0
"""A generator yields the loss scale object, and others read it later."""

import itertools

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(16, 1)
)
weight = tf.Variable(1.0)


def scales():
    while True:
        yield opt.loss_scale


first, second = itertools.islice(scales(), 2)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(first().numpy(), second().numpy())
