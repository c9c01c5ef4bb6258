# SPDX-License-Identifier: Apache-2.0
"""A class attribute tells the version."""

import tensorflow as tf
from packaging.version import Version


class Versions:
    OLD = Version(tf.__version__) < Version("2.4.0")
    NAMES = ("old", "new")


class Trainer(Versions):
    def __init__(self, opt):
        if self.OLD:
            self.opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")
        else:
            self.opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)

    def scale(self):
        return self.opt.loss_scale() if Versions.OLD else self.opt.loss_scale


opt = Trainer(tf.keras.optimizers.SGD(0.25)).opt

weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy(), int(opt.iterations))
