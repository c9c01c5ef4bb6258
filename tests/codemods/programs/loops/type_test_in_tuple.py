# SPDX-License-Identifier: Apache-2.0
"""The type test has a tuple of classes."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
print(isinstance(opt, (tf.keras.mixed_precision.experimental.LossScaleOptimizer, tf.keras.optimizers.Adam)))
print(isinstance(tf.keras.optimizers.SGD(0.25), (tf.keras.mixed_precision.experimental.LossScaleOptimizer, tf.keras.optimizers.Adam)))
