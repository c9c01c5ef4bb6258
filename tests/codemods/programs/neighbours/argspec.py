# SPDX-License-Identifier: Apache-2.0
"""A program that asks which arguments its optimizer takes."""

import inspect

import tensorflow as tf


def make(learning_rate, momentum=0.0, *others):
    return tf.keras.optimizers.SGD(learning_rate, momentum)


names, defaults = inspect.getargspec(make).args, inspect.getargspec(make).defaults
print(names, defaults, inspect.getargspec(make)[1], inspect.getargspec(tf.keras.optimizers.SGD.apply_gradients).args[0])
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(make(**dict(zip(names, (0.25, *defaults)))), "dynamic")
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), opt.loss_scale().numpy())
