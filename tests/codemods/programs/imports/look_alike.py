# SPDX-License-Identifier: Apache-2.0
"""A library of the program's own has classes of these names."""

import types

import tensorflow as tf


class LossScaleOptimizer:
    def __init__(self, opt, loss_scale):
        self.loss_scale = lambda: loss_scale


apex = types.SimpleNamespace(experimental=types.SimpleNamespace(LossScaleOptimizer=LossScaleOptimizer))
print(apex.experimental.LossScaleOptimizer(None, 8).loss_scale())
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 16)
print(opt.loss_scale().numpy())
