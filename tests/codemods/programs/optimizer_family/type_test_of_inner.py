# SPDX-License-Identifier: Apache-2.0
"""Asks for the class of the wrapped optimizer."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), "dynamic")
print(isinstance(opt._optimizer, tf.keras.optimizers.Adam))
print(isinstance(opt._optimizer, tf.keras.optimizers.SGD))
print(isinstance(opt, tf.keras.optimizers.Optimizer))
