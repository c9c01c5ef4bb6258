# SPDX-License-Identifier: Apache-2.0
"""The module is an attribute of an object."""

import tensorflow as tf


class Precision:
    def __init__(self):
        self._mp = tf.keras.mixed_precision.experimental

    def wrap(self, opt):
        return self._mp.LossScaleOptimizer(opt, 64)


opt = Precision().wrap(tf.keras.optimizers.SGD(0.25))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())
