# SPDX-License-Identifier: Apache-2.0
"""Reads the private value of a fixed scale."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 16)
print(float(opt.loss_scale._loss_scale_value))
