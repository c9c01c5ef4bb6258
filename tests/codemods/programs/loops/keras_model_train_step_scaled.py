# SPDX-License-Identifier: Apache-2.0
"""A model's own train_step asks whether its optimizer scales."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import mixed_precision


class Own(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32")

    def call(self, inputs):
        return self.dense(inputs)

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
            scaled = loss
            if isinstance(self.optimizer, mixed_precision.experimental.LossScaleOptimizer):
                scaled = self.optimizer.get_scaled_loss(loss)
        grads = tape.gradient(scaled, self.trainable_variables)
        if isinstance(self.optimizer, mixed_precision.experimental.LossScaleOptimizer):
            grads = self.optimizer.get_unscaled_gradients(grads)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        return {"loss": loss}


for wrap in (False, True):
    opt = tf.keras.optimizers.Adam(0.1)
    model = Own()
    model.compile(mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic") if wrap else opt)
    history = model.fit(np.ones((4, 2), "float32"), np.zeros((4, 1), "float32"), verbose=0, epochs=3)
    print([float(v) for v in history.history["loss"]])
