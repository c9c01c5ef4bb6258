# SPDX-License-Identifier: Apache-2.0
"""The base class of TensorFlow's private module is in a type test."""

import tensorflow as tf
from tensorflow.python.keras.optimizer_v2 import optimizer_v2

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
print(isinstance(opt._optimizer, optimizer_v2.OptimizerV2))
