# SPDX-License-Identifier: Apache-2.0
"""The learning rate of a compiled model's optimizer is set through the backend."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,), kernel_initializer="ones")])
model.compile(loss="mse", optimizer=tf.keras.optimizers.Nadam(0.1))
K.set_value(model.optimizer.lr, 0.01)
model.fit(np.ones((4, 2)), np.zeros(4), verbose=0, epochs=2)
print(K.get_value(model.optimizer.lr), K.get_value(model.optimizer.iterations))
print([w.tolist() for w in model.get_weights()], type(model.optimizer).__name__)
