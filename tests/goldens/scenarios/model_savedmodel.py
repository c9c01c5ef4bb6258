# SPDX-License-Identifier: Apache-2.0
"""A compiled model with a wrapped optimizer as a SavedModel: loaded, it predicts and trains."""
# versions: 2.0 2.1 2.2 2.3 2.4
import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer

from observe import observe

model = tf.keras.Sequential(
    [tf.keras.layers.Dense(1, kernel_initializer="ones", use_bias=False, input_shape=(1,))]
)
model.compile(LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64), "mse")
x, y = np.array([[1.0]], np.float32), np.array([[3.0]], np.float32)
model.fit(x, y, epochs=1, verbose=0)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model")
    model.save(path, save_format="tf")
    loaded = tf.keras.models.load_model(path)
    observe("weights", loaded.get_weights())
    observe("prediction", loaded.predict(x))
    observe("scale", loaded.optimizer.get_scaled_loss(tf.constant(1.0)))
    loaded.fit(x, y, epochs=1, verbose=0)
    observe("next_weights", loaded.get_weights())
