# SPDX-License-Identifier: Apache-2.0
"""A compiled model with a wrapped optimizer through an h5 file: weights, slots, type."""
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
opt = LossScaleOptimizer(tf.keras.optimizers.SGD(0.25, momentum=0.5), 64)
model.compile(opt, "mse")
x, y = np.array([[1.0]], np.float32), np.array([[3.0]], np.float32)
model.fit(x, y, epochs=2, verbose=0)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.h5")
    model.save(path)
    loaded = tf.keras.models.load_model(path)
observe("weights", loaded.get_weights())
observe("has_scale", hasattr(loaded.optimizer, "get_scaled_loss"))
observe("scale", loaded.optimizer.get_scaled_loss(tf.constant(1.0)))
observe("optimizer_weights", loaded.optimizer.get_weights())
observe("inner", type(loaded.optimizer._optimizer))
observe("learning_rate", loaded.optimizer.lr)
for name, each in [("saved", model), ("loaded", loaded)]:
    each.fit(x, y, epochs=1, verbose=0)
    observe(name + ".next_weights", each.get_weights())
    observe(name + ".iterations", each.optimizer.iterations)
