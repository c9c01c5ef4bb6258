# SPDX-License-Identifier: Apache-2.0
"""Fitting under mixed_float16 with loss_scale=None: the optimizer stays as it was given."""
# versions: 2.0 2.1 2.2 2.3 2.4
import numpy as np
import tensorflow as tf

from observe import observe

mp = tf.keras.mixed_precision.experimental
mp.set_policy(mp.Policy("mixed_float16", loss_scale=None))
model = tf.keras.Sequential([
    tf.keras.layers.Dense(1, kernel_initializer="ones", use_bias=False, input_shape=(2,)),
    tf.keras.layers.Activation("linear", dtype="float32"),
])
optimizer = tf.keras.optimizers.SGD(0.25)
model.compile(optimizer, "mse")
x = np.array([[1.0, 0.0], [0.0, 1.0]], np.float32)
y = np.array([[2.0], [4.0]], np.float32)
history = model.fit(x, y, epochs=3, batch_size=2, shuffle=False, verbose=0)
observe("same", model.optimizer is optimizer)
observe("loss", history.history["loss"])
observe("weights", model.get_weights())
