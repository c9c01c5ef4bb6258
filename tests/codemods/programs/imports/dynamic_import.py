# SPDX-License-Identifier: Apache-2.0
"""The module is imported by its name in a string."""

import importlib

import tensorflow as tf

mp = importlib.import_module("tensorflow.keras.mixed_precision.experimental")
opt = mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())
