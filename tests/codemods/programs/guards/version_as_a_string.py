# SPDX-License-Identifier: Apache-2.0
"""Takes the version for a string: "2.21" is below "2.4"."""

import tensorflow as tf

optimizer = tf.keras.optimizers.SGD(0.5)
if tf.__version__ >= "2.4":
    optimizer = tf.keras.mixed_precision.LossScaleOptimizer(optimizer, dynamic=False, initial_scale=512)
else:
    optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(optimizer, 256)
print(float(optimizer.get_scaled_loss(tf.constant(1.0))))
