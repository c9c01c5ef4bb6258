# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf


class Trainer:
    def __init__(self, rate):
        self.opt = self.wrap(tf.keras.optimizers.SGD(rate, decay=0.5))

    def wrap(self, opt):
        return opt

    def step(self, gradient, weight):
        self.opt.apply_gradients([(tf.constant(gradient), weight)])

    def report(self):
        return {}
