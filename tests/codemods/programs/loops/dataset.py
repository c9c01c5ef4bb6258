# SPDX-License-Identifier: Apache-2.0
"""A loop over a dataset, with a model."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), "dynamic")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
data = tf.data.Dataset.from_tensor_slices((x, 2 * x)).batch(2)


@tf.function
def step(inputs, targets):
    with tf.GradientTape() as tape:
        outputs = model(inputs, training=True)
        loss = tf.reduce_mean(tf.square(outputs - targets))
        scaled_loss = opt.get_scaled_loss(loss)
    scaled_gradients = tape.gradient(scaled_loss, model.trainable_variables)
    gradients = opt.get_unscaled_gradients(scaled_gradients)
    opt.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


for epoch in range(2):
    print(epoch, [float(step(inputs, targets)) for inputs, targets in data])
