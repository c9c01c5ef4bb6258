# SPDX-License-Identifier: Apache-2.0
"""A model of the private package, compiled with the name of an optimizer."""

import tensorflow as tf
from tensorflow.python.keras.layers import Activation, Dense
from tensorflow.python.keras.models import Sequential

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = Sequential([Dense(1, kernel_initializer="ones"), Activation("linear", dtype="float32")])
model.compile("adam", "mse")
print(model.fit(tf.ones((4, 2)), tf.ones((4, 1)), epochs=2, verbose=0).history)
print(isinstance(model, tf.keras.Sequential), [weight.numpy().tolist() for weight in model.weights])
