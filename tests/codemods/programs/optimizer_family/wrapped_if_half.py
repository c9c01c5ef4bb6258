# SPDX-License-Identifier: Apache-2.0
"""The optimizer is wrapped only in half precision."""

import numpy as np
import tensorflow as tf


def compiled(half):
    opt = tf.keras.optimizers.Adam(0.1)
    if half:
        opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,), dtype="float32")]
    )

    model.compile(opt, "mse")
    return model


for half in (True, False):
    model = compiled(half)
    x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
    y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
    history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
    print("losses", history.history["loss"])
    print("weights", [weight.tolist() for weight in model.get_weights()])
