# SPDX-License-Identifier: Apache-2.0
"""train_on_batch with a functional model and RMSprop wrapped with a number."""
# versions: 2.0 2.1 2.2 2.3 2.4
import numpy as np
import tensorflow as tf
from tensorflow import keras

from observe import observe

inputs = keras.Input((2,))
outputs = keras.layers.Dense(1, kernel_initializer="ones")(inputs)
model = keras.Model(inputs, outputs)
LSO = keras.mixed_precision.experimental.LossScaleOptimizer
model.compile(optimizer=LSO(keras.optimizers.RMSprop(0.125), 1000), loss="mae")
x, y = np.array([[1.0, 2.0]], np.float32), np.array([[8.0]], np.float32)
for step in range(4):
    observe("step%d.loss" % step, model.train_on_batch(x, y))
    observe("step%d.weights" % step, model.get_weights())
observe("iterations", model.optimizer.iterations)
