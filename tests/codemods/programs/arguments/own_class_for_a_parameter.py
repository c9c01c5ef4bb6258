# SPDX-License-Identifier: Apache-2.0
"""A function wraps optimizers with the loss scales that it is given, one of the program's own class."""

import tensorflow as tf


class Capped(tf.mixed_precision.experimental.DynamicLossScale):
    def __call__(self):
        return tf.minimum(super().__call__(), 4.0)


def wrap(opt, loss_scale):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale)


for scale in (8.0, Capped(16.0)):
    opt = wrap(tf.keras.optimizers.SGD(0.25), scale)
    weight = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        loss = opt.get_scaled_loss(3.0 * weight)
    gradients = opt.get_unscaled_gradients(tape.gradient(loss, [weight]))
    opt.apply_gradients(zip(gradients, [weight]))
    print(float(loss), weight.numpy())
