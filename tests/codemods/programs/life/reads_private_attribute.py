# SPDX-License-Identifier: Apache-2.0
"""Reads the optimizer's private attribute."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
print(float(opt._loss_scale()))
