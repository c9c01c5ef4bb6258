# SPDX-License-Identifier: Apache-2.0
"""A function that returns early for old versions (git flag)."""

import tensorflow as tf

TF_IS_OLD = int(tf.version.VERSION.split(".")[1]) <= 3


def wrap(opt, use_amp=True):
    if not use_amp:
        return opt
    if TF_IS_OLD:
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
