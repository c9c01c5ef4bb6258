# SPDX-License-Identifier: Apache-2.0
"""Optimizers go through `map`."""

import tensorflow as tf

opts = map(lambda scale: tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), scale), (2, 4))
print([opt.loss_scale().numpy() for opt in opts])
