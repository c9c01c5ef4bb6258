# SPDX-License-Identifier: Apache-2.0
"""A helper is given either kind of optimizer."""

import tensorflow as tf
from helpers import scale

print(scale(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)), scale(tf.keras.optimizers.SGD(0.25)))
