# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf

from . import optimizers


class Trainer:
    def __init__(self, name):
        self.optimizer = optimizers.make(name, 0.1, 64)
        self.weight = tf.Variable(1.0)

    def step(self):
        with tf.GradientTape() as tape:
            loss = self.optimizer.get_scaled_loss(self.weight * self.weight)
        gradients = self.optimizer.get_unscaled_gradients(tape.gradient(loss, [self.weight]))
        self.optimizer.apply_gradients(zip(gradients, [self.weight]))
        return self.weight.numpy(), self.optimizer.loss_scale().numpy()
