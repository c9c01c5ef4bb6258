# SPDX-License-Identifier: Apache-2.0
"""The optimizer is made in a class body, and read by methods of it."""

import tensorflow as tf


class Trainer:
    mp = tf.keras.mixed_precision.experimental
    opt = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale=8)
    scale = opt.loss_scale()

    @classmethod
    def current(cls):
        return cls.opt.loss_scale()

    @staticmethod
    def other(scale):
        return Trainer.mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), scale)


print(Trainer.scale.numpy(), Trainer.current().numpy(), Trainer.other(16).loss_scale().numpy())
