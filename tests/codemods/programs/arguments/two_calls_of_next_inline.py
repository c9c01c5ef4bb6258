# SPDX-License-Identifier: Apache-2.0
"""Arguments that take from one iterator, inside the wrapper's call."""

import tensorflow as tf

it = iter([3, 64, 0.25])
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(loss_scale=tf.train.experimental.DynamicLossScale(increment_period=next(it), initial_loss_scale=next(it)), optimizer=tf.keras.optimizers.SGD(next(it)))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())
