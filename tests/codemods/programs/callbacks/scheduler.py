# SPDX-License-Identifier: Apache-2.0
"""A callback changes the rate of a wrapped optimizer."""

import numpy as np
import tensorflow as tf

model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
)
model.compile(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), "dynamic"), "mse")
scheduler = tf.keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.5)
x = np.array([[1.0], [2.0]], np.float32)
history = model.fit(x, 2 * x, epochs=3, shuffle=False, verbose=0, callbacks=[scheduler])
print(history.history["loss"], float(model.optimizer.lr))
