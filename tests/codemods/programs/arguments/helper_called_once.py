# SPDX-License-Identifier: Apache-2.0
"""A function with an effect returns the loss scale."""

import tensorflow as tf

asked = []


def get_loss_scale():
    asked.append(len(asked))
    return 2.0 ** (3 + len(asked))


opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), get_loss_scale())
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())
print(asked)
