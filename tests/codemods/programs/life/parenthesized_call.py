# SPDX-License-Identifier: Apache-2.0
"""The read stands in parentheses."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
print(float((opt.loss_scale)()))
