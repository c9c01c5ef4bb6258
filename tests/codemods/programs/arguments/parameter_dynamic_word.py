# SPDX-License-Identifier: Apache-2.0
"""The loss scale is a function's parameter: dynamic word."""

import tensorflow as tf


def wrapped(rate, loss_scale="dynamic"):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(rate), loss_scale)


opt = wrapped(0.25, "dynamic")
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())
print(wrapped(0.5).get_scaled_loss(tf.constant(1.0)).numpy())
