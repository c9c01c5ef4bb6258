# SPDX-License-Identifier: Apache-2.0
"""A class that inherits from the wrapper of TensorFlow 1, with properties for what it wraps."""

import tensorflow as tf


class Readable(tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer):
    def __init__(self, opt, loss_scale):
        super().__init__(opt, loss_scale)
        self._steps = 0

    @property
    def loss_scale(self):
        return self._loss_scale

    @property
    def wrapped(self):
        return self._optimizer

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        self._steps += 1
        return super().apply_gradients(grads_and_vars, global_step, name)


opt = Readable(tf.compat.v1.train.MomentumOptimizer(0.25, 0.5), "dynamic")
weight = tf.Variable(1.0)
for factor in (1.0, 2.0, float("inf"), 1.0):
    opt.minimize(lambda: factor * weight * weight, var_list=[weight])
    print(weight.numpy(), opt.loss_scale().numpy(), opt._steps)
print(type(opt.wrapped).__name__, opt.get_name(), len(opt.variables()))
print(isinstance(opt, tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer))
