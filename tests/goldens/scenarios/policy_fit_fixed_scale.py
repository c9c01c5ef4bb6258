# SPDX-License-Identifier: Apache-2.0
"""Three epochs under a policy with a fixed scale: losses, weights, and the optimizer."""
# versions: 2.0 2.1 2.2 2.3 2.4
import numpy as np
import tensorflow as tf

from observe import observe

mp = tf.keras.mixed_precision.experimental
mp.set_policy(mp.Policy("mixed_float16", loss_scale=8))
model = tf.keras.Sequential([
    tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(2,)),
    tf.keras.layers.Activation("linear", dtype="float32"),
])
model.compile(tf.keras.optimizers.SGD(0.125), "mse")
x = np.array([[1.0, 0.0], [0.0, 2.0]], np.float32)
y = np.array([[2.0], [1.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=3, shuffle=False, verbose=0)
observe("loss", history.history["loss"])
observe("weights", model.get_weights())
observe("scale", model.optimizer.get_scaled_loss(tf.constant(1.0)))
observe("iterations", model.optimizer.iterations)
