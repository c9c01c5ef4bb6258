# SPDX-License-Identifier: Apache-2.0
"""A file of its own sets a policy with a fixed scale."""

import numpy as np
import tensorflow as tf
import precision

model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
print(model.optimizer.get_scaled_loss(tf.constant(1.0)).numpy())
