# SPDX-License-Identifier: Apache-2.0
"""Gradients of two batches are summed up."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), "dynamic")
weight = tf.Variable(1.0)
total = tf.Variable(0.0)
for step in range(6):
    with tf.GradientTape() as tape:
        scaled_loss = opt.get_scaled_loss(weight * weight * (step + 1.0))
    total.assign_add(opt.get_unscaled_gradients(tape.gradient(scaled_loss, [weight]))[0])
    if step % 2:
        opt.apply_gradients([(total / 2, weight)])
        total.assign(0.0)
    print(step, weight.numpy())
