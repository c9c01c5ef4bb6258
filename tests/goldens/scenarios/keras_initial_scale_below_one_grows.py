# SPDX-License-Identifier: Apache-2.0
"""A dynamic scale that starts at a quarter grows like any other."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(1.0), tf.train.experimental.DynamicLossScale(0.25, 1)
)
var = tf.Variable(0.0)
for step in range(4):
    opt.minimize(lambda: var * 2.0, [var])
    observe("step%d.scale" % step, opt.get_scaled_loss(tf.constant(1.0)))
    observe("step%d.var" % step, var)
