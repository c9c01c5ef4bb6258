# SPDX-License-Identifier: Apache-2.0
"""Layers, a model and a callback of `tensorflow.python.keras`, where `tf.keras` was."""

import tensorflow as tf
from tensorflow.python.keras import backend as K
from tensorflow.python.keras import layers
from tensorflow.python.keras.callbacks import Callback
from tensorflow.python.keras.engine.base_layer import Layer
from tensorflow.python.keras.engine.training import Model
from tensorflow.python.keras.layers.core import Dense


class Doubled(Layer):
    def call(self, inputs):
        return inputs * 2


class Told(Callback):
    def on_epoch_end(self, epoch, logs=None):
        print(epoch, sorted(logs))


tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
inputs = tf.keras.Input((2,))
outputs = layers.Activation("linear", dtype="float32")(Doubled()(Dense(1, kernel_initializer="ones")(inputs)))
model = Model(inputs, outputs)
model.compile(tf.keras.optimizers.SGD(0.25), "mse")
history = model.fit(tf.ones((4, 2)), tf.ones((4, 1)), epochs=2, verbose=0, callbacks=[Told()])
print(isinstance(model, tf.keras.Model), history.history["loss"], K.floatx(), K.ndim(outputs))
print([type(layer).__name__ for layer in model.layers], isinstance(model.layers[1], tf.keras.layers.Dense))
