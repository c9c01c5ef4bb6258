# SPDX-License-Identifier: Apache-2.0
"""A callback compares the loss scale with the one of the epoch before."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")


class Watch(tf.keras.callbacks.Callback):
    def on_train_begin(self, logs=None):
        self.last = float(self.model.optimizer.loss_scale())

    def on_epoch_end(self, epoch, logs=None):
        scale = float(self.model.optimizer.loss_scale())
        if scale < self.last:
            rate = self.model.optimizer.lr
            tf.keras.backend.set_value(rate, tf.keras.backend.get_value(rate) / 2)
        self.last = scale
        print(epoch, scale, float(self.model.optimizer.lr))


def build():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
            tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
        ]
    )
    return model


model = build()
model.compile(tf.keras.optimizers.Adam(0.01, decay=0.1), loss="mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0, callbacks=[Watch()])
print("weights", [weight.tolist() for weight in model.get_weights()])
