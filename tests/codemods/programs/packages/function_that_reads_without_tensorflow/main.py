# SPDX-License-Identifier: Apache-2.0
"""A helper that never names TensorFlow reads the scale."""

import tensorflow as tf
from helpers import describe

print(describe(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)))
