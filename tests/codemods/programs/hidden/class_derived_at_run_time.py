# SPDX-License-Identifier: Apache-2.0
"""A function derives a class from the one of the optimizer it is given, as Horovod does."""

import tensorflow as tf


def counting(optimizer):
    class Counting(tf.keras.optimizers.Optimizer):
        def __init__(self, **kwargs):
            self._calls = 0
            super(self.__class__, self).__init__(**kwargs)

        def apply_gradients(self, *args, **kwargs):
            self._calls += 1
            return super(self.__class__, self).apply_gradients(*args, **kwargs)

    cls = type(optimizer.__class__.__name__, (optimizer.__class__,), dict(Counting.__dict__))
    return cls.from_config(optimizer.get_config())


opt = counting(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic"))
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), opt._calls)
