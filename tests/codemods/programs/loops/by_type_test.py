# SPDX-License-Identifier: Apache-2.0
"""The loop asks whether the optimizer scales."""

import tensorflow as tf


def train(opt):
    weight = tf.Variable(1.0)
    for factor in (1.0, 2.0):
        with tf.GradientTape() as tape:
            loss = factor * weight * weight
            if isinstance(opt, tf.keras.mixed_precision.experimental.LossScaleOptimizer):
                loss = opt.get_scaled_loss(loss)
        gradients = tape.gradient(loss, [weight])
        if isinstance(opt, tf.keras.mixed_precision.experimental.LossScaleOptimizer):
            gradients = opt.get_unscaled_gradients(gradients)
        opt.apply_gradients(zip(gradients, [weight]))
    return weight.numpy()


print(train(tf.keras.optimizers.SGD(0.25)), train(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")))
