# SPDX-License-Identifier: Apache-2.0
"""A loss scale of a program's own class, which an optimizer of TensorFlow 1 multiplies with."""

import tensorflow as tf


class Halving(tf.compat.v1.mixed_precision.experimental.LossScale):
    def __init__(self, value):
        super().__init__()
        self.value = value
        self.calls = 0

    def __call__(self):
        self.calls += 1
        return tf.constant(self.value / self.calls)

    def update(self, grads):
        raise AssertionError("it is not asked")

    def get_config(self):
        return {"value": self.value}


scale = Halving(64.0)
opt = tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.compat.v1.train.GradientDescentOptimizer(0.25), scale
)
weight = tf.Variable(1.0)
for factor in (1.0, 2.0, 1.0):
    opt.minimize(lambda: factor * weight * weight, var_list=[weight])
    print(weight.numpy(), scale.calls, scale.get_config())
