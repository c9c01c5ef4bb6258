# SPDX-License-Identifier: Apache-2.0
"""Fitting under mixed_float16: the first scales overflow float16, those steps are skipped."""
# versions: 2.0 2.1 2.2 2.3 2.4
import numpy as np
import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mixed_precision

from observe import observe

mixed_precision.set_policy("mixed_float16")
model = tf.keras.Sequential([
    tf.keras.layers.Dense(1, kernel_initializer="ones", use_bias=False, input_shape=(2,)),
    tf.keras.layers.Activation("linear", dtype="float32"),
])
model.compile(tf.keras.optimizers.SGD(0.125), "mse")
x = np.array([[1.0, 0.0], [0.0, 2.0]], np.float32)
y = np.array([[9.0], [1.0]], np.float32)
for epoch in range(6):
    history = model.fit(x, y, batch_size=2, epochs=1, shuffle=False, verbose=0)
    observe("epoch%d.loss" % epoch, history.history["loss"][0])
    observe("epoch%d.weights" % epoch, model.get_weights())
    observe("epoch%d.scale" % epoch, model.optimizer.get_scaled_loss(tf.constant(1.0)))
