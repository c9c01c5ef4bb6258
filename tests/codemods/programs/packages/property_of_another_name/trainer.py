# SPDX-License-Identifier: Apache-2.0
import tensorflow as tf


class Trainer(object):
    def __init__(self, optimizer):
        self.optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(optimizer, 512)

    @property
    def current_scale(self):
        return self.optimizer.loss_scale

    def train(self, v, grad):
        self.optimizer.apply_gradients([(grad, v)])
