# SPDX-License-Identifier: Apache-2.0
"""A model's own `train_step` that asks for the optimizer's class."""

import numpy as np
import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mixed_precision


class Net(tf.keras.Sequential):
    def train_step(self, data):
        x, y = data
        is_scaled = isinstance(self.optimizer, mixed_precision.LossScaleOptimizer)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self(x, training=True) - y))
            total = self.optimizer.get_scaled_loss(loss) if is_scaled else loss
        gradients = tape.gradient(total, self.trainable_variables)
        if is_scaled:
            gradients = self.optimizer.get_unscaled_gradients(gradients)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}


mixed_precision.set_policy("mixed_float16")
model = Net([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")])
model.compile(tf.keras.optimizers.SGD(0.01))
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
