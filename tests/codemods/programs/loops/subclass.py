# SPDX-License-Identifier: Apache-2.0
"""A subclass of the wrapper."""

import tensorflow as tf


class Logged(tf.keras.mixed_precision.experimental.LossScaleOptimizer):
    def get_scaled_loss(self, loss):
        print("scaled")
        return super().get_scaled_loss(loss)


opt = Logged(tf.keras.optimizers.SGD(0.25), 8)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())
