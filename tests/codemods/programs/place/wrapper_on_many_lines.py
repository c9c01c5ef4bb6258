# SPDX-License-Identifier: Apache-2.0
"""The call stands on many lines, with comments."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    # the optimizer
    tf.keras.optimizers.SGD(
        learning_rate=0.25,  # the rate
    ),
    loss_scale=(  # the scale
        "dynamic"
    ),
)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())
