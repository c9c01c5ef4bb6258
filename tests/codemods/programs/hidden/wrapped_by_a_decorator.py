# SPDX-License-Identifier: Apache-2.0
"""A decorator wraps what a function makes."""

import functools

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mp


def scaled(scale):
    def decorate(function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            return mp.LossScaleOptimizer(function(*args, **kwargs), scale)

        return wrapped

    return decorate


@scaled(16)
def make(rate):
    return tf.keras.optimizers.SGD(rate)


opt = make(0.25)

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

print(opt.loss_scale().numpy(), type(opt).__name__)
