# SPDX-License-Identifier: Apache-2.0
"""A traced step, with a growing scale."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01, momentum=0.9), tf.train.experimental.DynamicLossScale(64, 2))
weight = tf.Variable(1.0)


@tf.function
def step(factor):
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    scaled_gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(scaled_gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    return loss, scaled_loss


for factor in (1.0, 2.0, 1.0, float("inf"), 1.0):
    print([float(value) for value in step(tf.constant(factor))], weight.numpy())
