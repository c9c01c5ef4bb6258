# SPDX-License-Identifier: Apache-2.0
"""A model's weights are saved and loaded."""

import os
import tempfile

import numpy as np
import tensorflow as tf

model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
)
model.compile(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), 32), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "weights")
    model.save_weights(path)
    model.set_weights([weight * 0 for weight in model.get_weights()])
    model.load_weights(path).expect_partial()
print([weight.tolist() for weight in model.get_weights()])
