# SPDX-License-Identifier: Apache-2.0
"""What is printed depends on the loss scale's class."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 3))
if isinstance(opt.loss_scale, tf.train.experimental.DynamicLossScale):
    print("grows after", opt.loss_scale.increment_period)
else:
    print("fixed", opt.loss_scale())
