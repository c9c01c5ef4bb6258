# SPDX-License-Identifier: Apache-2.0
"""In 1.14 the eager v1 optimizer took a callable loss too."""
# versions: 1.14
# run: --tf1
import tensorflow as tf

from observe import observe

tf.enable_eager_execution()
var = tf.Variable(4.0)
scaler = tf.train.experimental.DynamicLossScale(16.0, increment_period=2)
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.train.GradientDescentOptimizer(0.5), scaler
)
for step, value in enumerate([1.0, float("nan"), 1.0, 1.0]):
    opt.minimize(lambda: var * value, var_list=[var])
    observe("step%d.var" % step, var)
    observe("step%d.scale" % step, scaler())
