# SPDX-License-Identifier: Apache-2.0
"""The loss scale is read for a default argument and by a decorator."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 8)


def times(factor):
    return lambda function: lambda value: factor * function(value)


def scaled(value, scale=opt.loss_scale()):
    return value * scale


@times(opt.loss_scale())
def unchanged(value):
    return value


print(scaled(2.0).numpy(), unchanged(2.0).numpy())
