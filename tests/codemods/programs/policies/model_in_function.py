# SPDX-License-Identifier: Apache-2.0
"""A function makes and compiles the model; the policy is set elsewhere."""

import numpy as np
import tensorflow as tf


def make():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
            tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
        ]
    )

    model.compile(optimizer=tf.keras.optimizers.SGD(0.01), loss="mse")
    return model


tf.keras.mixed_precision.experimental.set_policy(tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=tf.train.experimental.FixedLossScale(32)))
model = make()
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
