# SPDX-License-Identifier: Apache-2.0
"""Which class load_model gives the optimizer of an h5 file."""
# versions: 2.0 2.1 2.2 2.3 2.4
import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer

from observe import observe

model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
scaler = tf.train.experimental.DynamicLossScale(64, 7)
model.compile(LossScaleOptimizer(tf.keras.optimizers.Adam(), scaler), "mse")
model.train_on_batch(np.array([[1.0]], np.float32), np.array([[3.0]], np.float32))
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.h5")
    model.save(path)
    loaded = tf.keras.models.load_model(path)
observe("isinstance", isinstance(loaded.optimizer, LossScaleOptimizer))
observe("weights.count", len(loaded.optimizer.get_weights()))
