# SPDX-License-Identifier: Apache-2.0
"""Two models are compiled under one policy, and its loss scale is one object for both."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")


def build():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
            tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
        ]
    )
    return model


first, second = build(), build()
first.compile(tf.keras.optimizers.SGD(0.01), loss="mse")
second.compile(tf.keras.optimizers.SGD(0.01), loss="mse")
x = np.array([[1.0], [np.inf], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
first.fit(x, y, batch_size=2, epochs=1, shuffle=False, verbose=0)
print(float(first.optimizer.loss_scale()), float(second.optimizer.loss_scale()))
second.fit(y, y, batch_size=2, epochs=1, shuffle=False, verbose=0)
print("weights", [weight.tolist() for weight in second.get_weights()])
