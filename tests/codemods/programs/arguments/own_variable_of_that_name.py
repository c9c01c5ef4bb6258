# SPDX-License-Identifier: Apache-2.0
"""A variable of the program's own is named as the codemod's helper."""

import os

import tensorflow as tf

_loss_scale_arguments = {"value": 8}
loss_scale = os.environ.get("LOSS_SCALE") or "dynamic"
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), loss_scale)
print(_loss_scale_arguments)
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())
