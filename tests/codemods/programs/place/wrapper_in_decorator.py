# SPDX-License-Identifier: Apache-2.0
"""A decorator makes the wrapper."""

import tensorflow as tf


def scaled(loss_scale):
    def decorate(make):
        return lambda *args: tf.keras.mixed_precision.experimental.LossScaleOptimizer(make(*args), loss_scale)

    return decorate


@scaled("dynamic")
def optimizer(rate):
    return tf.keras.optimizers.SGD(rate)


opt = optimizer(0.25)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())
