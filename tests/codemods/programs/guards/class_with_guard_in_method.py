# SPDX-License-Identifier: Apache-2.0
"""A trainer's method asks for the version."""

import tensorflow as tf
from packaging.version import Version


class Trainer:
    def __init__(self):
        self.new = Version(tf.__version__) >= Version("2.4.0")
        self.opt = self.wrap(tf.keras.optimizers.SGD(0.25))

    def wrap(self, opt):
        if self.new:
            return tf.keras.mixed_precision.LossScaleOptimizer(opt)
        return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")


opt = Trainer().opt
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())
