# SPDX-License-Identifier: Apache-2.0
"""A trainer keeps the loss scale object."""

import tensorflow as tf


class Trainer:
    def __init__(self):
        self.opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 2))
        self.loss_scale = self.opt.loss_scale
        self.weight = tf.Variable(1.0)

    def step(self, gradient):
        self.opt.apply_gradients([(tf.constant(gradient), self.weight)])
        return float(self.loss_scale())


trainer = Trainer()
for gradient in [1.0, 1.0, float("nan"), 1.0]:
    print(trainer.step(gradient), trainer.weight.numpy())
