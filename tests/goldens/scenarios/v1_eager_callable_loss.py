# SPDX-License-Identifier: Apache-2.0
"""The v1 optimizer in eager mode: minimize and compute_gradients with a callable loss."""
# versions: 1.15 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe

tf.enable_eager_execution()
var, factor = tf.Variable(4.0), tf.Variable(1.0, trainable=False)
scaler = tf.train.experimental.DynamicLossScale(16.0, increment_period=2)
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.train.GradientDescentOptimizer(0.5), scaler
)
global_step = tf.train.get_or_create_global_step()
pairs = opt.compute_gradients(lambda: var ** 2, [var])
observe("gradient", pairs[0][0])
for step, value in enumerate([1.0, float("nan"), 1.0, 1.0, float("inf"), 1.0]):
    factor.assign(value)
    opt.minimize(lambda: var * factor, global_step=global_step, var_list=[var])
    observe("step%d.var" % step, var)
    observe("step%d.scale" % step, scaler())
    observe("step%d.global_step" % step, global_step)
