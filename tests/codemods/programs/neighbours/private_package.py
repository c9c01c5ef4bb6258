# SPDX-License-Identifier: Apache-2.0
"""The whole private package under a name."""

import tensorflow as tf
from tensorflow.python import keras

tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = keras.Sequential([
    keras.layers.Dense(1, kernel_initializer=keras.initializers.Ones(), kernel_regularizer=keras.regularizers.l2(0.5)),
    keras.layers.Activation("linear", dtype="float32"),
])
model.compile(tf.keras.optimizers.SGD(0.25), keras.losses.MeanSquaredError(), metrics=[keras.metrics.MeanAbsoluteError()])
print(model.fit(tf.ones((4, 2)), tf.ones((4, 1)), verbose=0).history)
print(isinstance(model, tf.keras.Sequential), type(model.optimizer).__name__)
