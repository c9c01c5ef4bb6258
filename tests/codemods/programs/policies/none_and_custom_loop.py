# SPDX-License-Identifier: Apache-2.0
"""Policies whose loss scale is for nothing: a loop trains the model, and wraps by itself."""

import re

import numpy as np
import tensorflow as tf

unscaled = tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=None)
fixed = tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=16)
tf.keras.mixed_precision.experimental.set_policy(unscaled)
for scale in (64, 2):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", dtype=fixed, input_shape=(1,))])
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), scale)
    for value in (1.0, 2.0, 1e6, 3.0):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.cast(model(np.float32([[value]])), tf.float32) ** 2)
            scaled_loss = opt.get_scaled_loss(loss)
        gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, model.trainable_variables))
        opt.apply_gradients(zip(gradients, model.trainable_variables))
        print(fixed.name, float(scaled_loss), [weight.tolist() for weight in model.get_weights()])
print(bool(re.compile("mixed").match(unscaled.name)))
