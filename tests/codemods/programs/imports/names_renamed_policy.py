# SPDX-License-Identifier: Apache-2.0
"""A policy, by one way to import it: names renamed."""

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer as LSO
from tensorflow.keras.mixed_precision.experimental import set_policy as use

use("mixed_float16")
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
print(layer(tf.ones([1, 2])).dtype.name, layer.compute_dtype)
