# SPDX-License-Identifier: Apache-2.0
"""minimize with a loss that is now and then infinite or not a number."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.5), loss_scale=tf.train.experimental.DynamicLossScale(32, 3)
)
var, factor = tf.Variable(8.0), tf.Variable(1.0, trainable=False)
for step, value in enumerate([1.0, 1.0, float("inf"), 1.0, float("nan"), 1.0, 1.0, 1.0]):
    factor.assign(value)
    opt.minimize(lambda: var * factor, var_list=[var])
    observe("step%d.var" % step, var)
    observe("step%d.scale" % step, opt.get_scaled_loss(tf.constant(1.0)))
