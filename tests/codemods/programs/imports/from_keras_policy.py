# SPDX-License-Identifier: Apache-2.0
"""A policy, by one way to import it: from keras."""

import tensorflow as tf
from tensorflow import keras

keras.mixed_precision.experimental.set_policy("mixed_float16")
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name, layer.compute_dtype)
