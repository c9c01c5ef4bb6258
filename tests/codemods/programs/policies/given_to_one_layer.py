# SPDX-License-Identifier: Apache-2.0
"""One policy object is given to layers, and is never set."""

import numpy as np
import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mp

half = mp.Policy("mixed_float16")
full = mp.Policy("float32")
model = tf.keras.Sequential([
    tf.keras.layers.Dense(2, dtype=half, input_shape=(2,), kernel_initializer="ones"),
    tf.keras.layers.Dense(1, dtype=full, kernel_initializer="ones"),
])
model.compile(tf.keras.optimizers.SGD(0.1), "mse")
print(type(model.optimizer).__name__, hasattr(model.optimizer, "loss_scale"))
model.fit(np.ones((4, 2)), np.zeros(4), verbose=0)
print([w.tolist() for w in model.get_weights()])
