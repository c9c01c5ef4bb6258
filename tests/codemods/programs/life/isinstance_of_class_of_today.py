# SPDX-License-Identifier: Apache-2.0
"""The class that the loss scale is tested for has the name of today."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
print(isinstance(opt.loss_scale, tf.compat.v1.mixed_precision.DynamicLossScale))
