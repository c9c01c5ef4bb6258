# SPDX-License-Identifier: Apache-2.0
"""A helper in a file of its own reads the scale."""

import tensorflow as tf
from helpers import describe

print(describe(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)))
