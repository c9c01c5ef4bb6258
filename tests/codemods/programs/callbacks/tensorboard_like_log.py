# SPDX-License-Identifier: Apache-2.0
"""A callback takes what it logs from a table of functions."""

import numpy as np
import tensorflow as tf


class Log(tf.keras.callbacks.Callback):
    def __init__(self, readers):
        super().__init__()
        self.readers = readers

    def on_train_batch_end(self, batch, logs=None):
        print(batch, {name: float(read()) for name, read in self.readers.items()})


def build():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
            tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
        ]
    )
    return model


opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.RMSprop(0.01), "dynamic")
model = build()
model.compile(opt, loss="mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
readers = {"scale": opt.loss_scale, "lr": lambda: opt.learning_rate}
model.fit(x, y, batch_size=2, epochs=1, shuffle=False, verbose=0, callbacks=[Log(readers)])
