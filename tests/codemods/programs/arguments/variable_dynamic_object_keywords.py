# SPDX-License-Identifier: Apache-2.0
"""The loss scale in a variable: dynamic object keywords."""

import tensorflow as tf

loss_scale = tf.train.experimental.DynamicLossScale(initial_loss_scale=64, increment_period=2, multiplier=2)
opt = tf.keras.optimizers.SGD(0.25)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale=loss_scale)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())
