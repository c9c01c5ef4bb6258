# SPDX-License-Identifier: Apache-2.0
"""compile's arguments are a dict, and the optimizer is an instance made from a config."""

import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
settings = dict(optimizer=tf.keras.optimizers.deserialize({"class_name": "Adam", "config": {"learning_rate": 0.5}}), loss="mse")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,), kernel_initializer="ones")])
model.compile(**settings)
model.fit(np.ones((4, 2)), np.zeros(4), verbose=0, epochs=3)
print([[repr(float(v)) for v in w.ravel()] for w in model.get_weights()])
