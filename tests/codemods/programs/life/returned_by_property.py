# SPDX-License-Identifier: Apache-2.0
"""A property returns the scale."""

import tensorflow as tf


class Trainer:
    def __init__(self, opt):
        self.opt = opt

    @property
    def scale(self):
        return self.opt.loss_scale()


trainer = Trainer(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic"))
print(float(trainer.scale))
