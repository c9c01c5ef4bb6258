# SPDX-License-Identifier: Apache-2.0
"""Takes the version for a number: 2.21 is below 2.4."""

import tensorflow as tf

TF_VERSION = float(".".join(tf.__version__.split(".")[:2]))

optimizer = tf.keras.optimizers.SGD(0.5)
if TF_VERSION < 2.4:
    mixed_precision = tf.keras.mixed_precision.experimental
    optimizer = mixed_precision.LossScaleOptimizer(optimizer, loss_scale=256)
else:
    optimizer = tf.keras.mixed_precision.LossScaleOptimizer(optimizer, dynamic=False, initial_scale=512)
print(float(optimizer.get_scaled_loss(tf.constant(1.0))))
