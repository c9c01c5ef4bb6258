# SPDX-License-Identifier: Apache-2.0
"""The types are compared."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
if type(opt) == tf.keras.mixed_precision.experimental.LossScaleOptimizer:
    print("wrapped")
print(type(tf.keras.optimizers.SGD(0.25)) is tf.keras.mixed_precision.experimental.LossScaleOptimizer)
