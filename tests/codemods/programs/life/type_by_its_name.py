# SPDX-License-Identifier: Apache-2.0
"""The name of the type of the loss scale is compared."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
print(type(opt.loss_scale).__name__ == "DynamicLossScale")
