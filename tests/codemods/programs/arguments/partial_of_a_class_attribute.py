# SPDX-License-Identifier: Apache-2.0
"""A class has a partial call of the wrapper as an attribute."""

import functools

import tensorflow as tf


class Trainer:
    wrap = staticmethod(
        functools.partial(tf.keras.mixed_precision.experimental.LossScaleOptimizer, loss_scale=32)
    )

    def __init__(self):
        self.opt = self.wrap(tf.keras.optimizers.SGD(0.25))


opt = Trainer().opt

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))

print(opt.loss_scale().numpy())
