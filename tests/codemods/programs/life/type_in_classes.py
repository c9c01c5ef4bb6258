# SPDX-License-Identifier: Apache-2.0
"""The class of the loss scale is looked up among others."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
print(opt.loss_scale.__class__ in (tf.mixed_precision.experimental.FixedLossScale, tf.mixed_precision.experimental.DynamicLossScale))
