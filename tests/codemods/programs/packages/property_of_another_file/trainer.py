# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf


class Trainer(object):
    def __init__(self, optimizer, amp=False):
        if amp:
            optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(optimizer, "dynamic")
        self._opt = optimizer

    @property
    def loss_scale(self):
        return self._opt.loss_scale

    def train(self, v, grad):
        self._opt.apply_gradients([(grad, v)])
