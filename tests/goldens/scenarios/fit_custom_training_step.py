# SPDX-License-Identifier: Apache-2.0
"""A model whose train_step (2.2+) scales and unscales for itself."""
# versions: 2.2 2.3 2.4
import numpy as np
import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer

from observe import observe


class Model(tf.keras.Sequential):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
            scaled_loss = self.optimizer.get_scaled_loss(loss)
        gradients = tape.gradient(scaled_loss, self.trainable_variables)
        gradients = self.optimizer.get_unscaled_gradients(gradients)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}


model = Model([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(2,))])
model.compile(LossScaleOptimizer(tf.keras.optimizers.SGD(0.125), "dynamic"))
x = np.array([[1.0, 2.0], [2.0, 0.0]], np.float32)
y = np.array([[1.0], [1.0]], np.float32)
history = model.fit(x, y, epochs=3, batch_size=2, shuffle=False, verbose=0)
observe("loss", history.history["loss"])
observe("weights", model.get_weights())
observe("scale", model.optimizer.get_scaled_loss(tf.constant(1.0)))
