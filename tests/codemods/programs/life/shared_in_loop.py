# SPDX-License-Identifier: Apache-2.0
"""One object for all optimizers of a loop."""

import tensorflow as tf

scale = tf.train.experimental.DynamicLossScale(64, 1)
opts = []
for rate in (0.25, 0.5):
    opts.append(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(rate), scale))
weight = tf.Variable(1.0)
opts[0].apply_gradients([(tf.constant(1.0), weight)])
print([opt.get_scaled_loss(tf.constant(1.0)).numpy() for opt in opts])
