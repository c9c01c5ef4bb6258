# SPDX-License-Identifier: Apache-2.0
"""The import stands in the function that needs it."""

import tensorflow as tf


def wrapped(opt, precision):
    if precision == 16:
        from tensorflow.keras.mixed_precision import experimental as prec

        opt = prec.LossScaleOptimizer(opt, "dynamic")
    return opt


opt = wrapped(tf.keras.optimizers.SGD(0.25), 16)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())
