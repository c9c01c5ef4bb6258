# SPDX-License-Identifier: Apache-2.0
"""A loss scale of the program's own."""

import tensorflow as tf


class Falling(tf.train.experimental.LossScale):
    def __init__(self):
        super().__init__()
        self._value = self._add_weight("value", 64.0)

    def __call__(self):
        return tf.convert_to_tensor(self._value)

    def update(self, grads):
        self._value.assign(self._value / 2)
        return tf.no_op(), True

    def get_config(self):
        return {}


opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), Falling())
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))
