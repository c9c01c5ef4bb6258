# SPDX-License-Identifier: Apache-2.0
"""The class's name is compared."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
print(opt.__class__.__name__.startswith("LossScaleOptimizer"), "LossScale" in type(opt).__name__)
