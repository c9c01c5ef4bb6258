# SPDX-License-Identifier: Apache-2.0
"""The policy is set back before the second model is made."""

import numpy as np
import tensorflow as tf

mp = tf.keras.mixed_precision.experimental


def build():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
            tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
        ]
    )
    return model


mp.set_policy(mp.Policy("mixed_float16", loss_scale=128))
half = build()
mp.set_policy("float32")
full = build()
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
for model in (half, full):
    model.compile(tf.keras.optimizers.SGD(0.01), loss="mse")
    model.fit(x, y, batch_size=2, epochs=1, shuffle=False, verbose=0)
    print(hasattr(model.optimizer, "loss_scale"), model.get_weights()[0].tolist())
