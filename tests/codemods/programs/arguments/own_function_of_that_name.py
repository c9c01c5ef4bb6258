# SPDX-License-Identifier: Apache-2.0
"""A function of the program's own is named as the codemod's helper."""

import tensorflow as tf


def _loss_scale_arguments(loss_scale):
    return loss_scale * 2


def wrapped(loss_scale):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), _loss_scale_arguments(loss_scale))


opt = wrapped(16)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())
