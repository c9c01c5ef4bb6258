# SPDX-License-Identifier: Apache-2.0
"""Gradients are clipped after they are unscaled."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), "dynamic")
weights = [tf.Variable([3.0, 4.0]), tf.Variable(2.0)]
for _ in range(4):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(weights[0] ** 2) + weights[1] ** 2
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    gradients, norm = tf.clip_by_global_norm(gradients, 1.0)
    opt.apply_gradients(zip(gradients, weights))
    print(float(loss), float(norm), [weight.numpy().tolist() for weight in weights])
