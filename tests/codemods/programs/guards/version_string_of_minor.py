# SPDX-License-Identifier: Apache-2.0
"""Compares the minor number of the version as a string: "21" is below "4"."""

import tensorflow as tf

IS_OLD = tf.__version__.split(".")[1] < "4"
optimizer = tf.keras.optimizers.SGD(0.5)
if IS_OLD:
    optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(optimizer, 256)
else:
    optimizer = tf.keras.mixed_precision.LossScaleOptimizer(optimizer, dynamic=False, initial_scale=512)
print(float(optimizer.get_scaled_loss(tf.constant(1.0))))
