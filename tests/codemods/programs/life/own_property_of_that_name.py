# SPDX-License-Identifier: Apache-2.0
"""A class has a property `loss_scale` of its own, with a setter."""

import tensorflow as tf


class Trainer:
    def __init__(self, scale):
        self._scale = None
        self.loss_scale = scale
        self.opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
            tf.keras.optimizers.SGD(0.25), self.loss_scale
        )

    @property
    def loss_scale(self):
        return self._scale

    @loss_scale.setter
    def loss_scale(self, value):
        self._scale = value * 2 if isinstance(value, int) else value


for scale in [8, "dynamic"]:
    trainer = Trainer(scale)
    weight = tf.Variable(1.0)
    trainer.opt.apply_gradients([(tf.constant(1.0), weight)])
    print(trainer.loss_scale, trainer.opt.loss_scale().numpy(), weight.numpy())
