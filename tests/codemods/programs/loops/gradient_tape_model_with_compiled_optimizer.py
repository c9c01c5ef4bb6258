# SPDX-License-Identifier: Apache-2.0
"""A custom loop over a model that was compiled for its optimizer and loss."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([
    tf.keras.layers.Dense(2, input_shape=(2,), kernel_initializer="ones"),
    tf.keras.layers.Activation("linear", dtype="float32"),
])
model.compile("adam", "mse")
x, y = np.ones((4, 2), "float32"), np.zeros((4, 2), "float32")
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
        scaled = model.optimizer.get_scaled_loss(loss)
    grads = tape.gradient(scaled, model.trainable_variables)
    grads = model.optimizer.get_unscaled_gradients(grads)
    model.optimizer.apply_gradients(zip(grads, model.trainable_variables))
    print(loss.numpy(), float(model.optimizer.loss_scale()))
