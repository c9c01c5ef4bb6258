# SPDX-License-Identifier: Apache-2.0
"""Functions are registered for the classes."""

import functools

import tensorflow as tf


@functools.singledispatch
def describe(opt):
    return "unknown"


@describe.register(tf.keras.optimizers.SGD)
def _(opt):
    return "sgd"


@describe.register(tf.keras.mixed_precision.experimental.LossScaleOptimizer)
def _(opt):
    return f"scaled by {float(opt.loss_scale()):.0f}"


inner = tf.keras.optimizers.SGD(0.25)
print(describe(inner))
print(describe(tf.keras.mixed_precision.experimental.LossScaleOptimizer(inner, 8)))
