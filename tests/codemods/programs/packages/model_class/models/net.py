# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones")
        self.out = tf.keras.layers.Activation("linear", dtype="float32")

    def call(self, x):
        return self.out(self.dense(x))

    def scale(self):
        return self.optimizer.loss_scale()
