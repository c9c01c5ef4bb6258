# SPDX-License-Identifier: Apache-2.0
"""Takes the version for a string, without a branch for new versions."""

import tensorflow as tf

optimizer = tf.keras.optimizers.SGD(0.5)
if tf.__version__ < "2.4":
    optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(optimizer, 256)
print(type(optimizer).__mro__[-2].__name__, hasattr(optimizer, "loss_scale"))
