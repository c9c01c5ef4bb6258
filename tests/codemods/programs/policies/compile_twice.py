# SPDX-License-Identifier: Apache-2.0
"""A model is compiled twice under one policy with an object."""

import numpy as np
import tensorflow as tf

scale = tf.train.experimental.DynamicLossScale(64, 1)
tf.keras.mixed_precision.experimental.set_policy(tf.keras.mixed_precision.experimental.Policy("mixed_float16", loss_scale=scale))
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
for _ in range(2):
    model.compile(tf.keras.optimizers.SGD(0.01), "mse")
    x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
    model.fit(x, 2 * x, epochs=1, verbose=0)
    print(model.optimizer.get_scaled_loss(tf.constant(1.0)).numpy())
