# SPDX-License-Identifier: Apache-2.0
"""A function that returns early for old versions (starts with)."""

import tensorflow as tf


def wrap(opt, use_amp=True):
    if not use_amp:
        return opt
    if tf.__version__.startswith("2.2.") or tf.__version__.startswith("2.3."):
        return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")
    return tf.keras.mixed_precision.LossScaleOptimizer(opt, initial_scale=64)


opt = wrap(tf.keras.optimizers.SGD(0.25))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())
print(type(wrap(tf.keras.optimizers.SGD(0.25), use_amp=False)).__name__)
