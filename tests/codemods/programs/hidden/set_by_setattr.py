# SPDX-License-Identifier: Apache-2.0
"""A class that delegates to the optimizer, set by setattr."""

import tensorflow as tf


class AMP:
    """Delegates to the wrapped optimizer."""

    def __init__(self, opt):
        self._opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")

    def __getattr__(self, name):
        return getattr(self._opt, name)

    def scale(self, loss):
        return loss * self.loss_scale()


class Bag:
    pass


bag = Bag()
for name, rate in (("g", 0.1), ("d", 0.2)):
    setattr(bag, name + "_opt", AMP(tf.keras.optimizers.SGD(rate)))
print(float(bag.g_opt.loss_scale()), float(bag.d_opt.scale(2.0)), float(bag.d_opt.lr))
