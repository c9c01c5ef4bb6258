# SPDX-License-Identifier: Apache-2.0
"""A loop without a wrapper, that scales by an object."""

import tensorflow as tf

scale = tf.mixed_precision.experimental.DynamicLossScale(initial_loss_scale=64, increment_period=2)
opt = tf.keras.optimizers.SGD(0.25)
weight = tf.Variable(1.0)
for factor in (1.0, 1.0, float("inf"), 1.0):
    with tf.GradientTape() as tape:
        loss = factor * weight * weight * scale()
    gradient = tape.gradient(loss, weight) / scale()
    _, good = scale.update([gradient])
    if good:
        opt.apply_gradients([(gradient, weight)])
    print(scale().numpy(), weight.numpy())
