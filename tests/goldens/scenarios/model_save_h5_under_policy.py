# SPDX-License-Identifier: Apache-2.0
"""A model compiled under mixed_float16 with a fixed scale goes through an h5 file."""
# versions: 2.1 2.2 2.3 2.4
import os
import tempfile

import numpy as np
import tensorflow as tf

from observe import observe

mp = tf.keras.mixed_precision.experimental
mp.set_policy(mp.Policy("mixed_float16", loss_scale=16))
model = tf.keras.Sequential([
    tf.keras.layers.Dense(1, kernel_initializer="ones", use_bias=False, input_shape=(1,)),
    tf.keras.layers.Activation("linear", dtype="float32"),
])
model.compile(tf.keras.optimizers.SGD(0.25), "mse")
x, y = np.array([[1.0]], np.float32), np.array([[3.0]], np.float32)
model.fit(x, y, verbose=0)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.h5")
    model.save(path)
    loaded = tf.keras.models.load_model(path)
observe("weights", loaded.get_weights())
observe("scale", loaded.optimizer.get_scaled_loss(tf.constant(1.0)))
observe("iterations", loaded.optimizer.iterations)
loaded.fit(x, y, verbose=0)
observe("next_weights", loaded.get_weights())
