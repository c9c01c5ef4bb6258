# SPDX-License-Identifier: Apache-2.0
"""The scale goes through `tf.identity` and arithmetic."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 512)
print(tf.identity(opt.loss_scale(), name="loss_scale").numpy())
print(tf.math.log(opt.loss_scale()).numpy(), (1.0 / opt.loss_scale()).numpy())
