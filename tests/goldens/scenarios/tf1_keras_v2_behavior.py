# SPDX-License-Identifier: Apache-2.0
"""The Keras wrapper of 1.14 and 1.15 after enable_v2_behavior: minimize with bad steps."""
# versions: 1.14 1.15
# run: --tf1
import tensorflow as tf

from observe import observe

tf.compat.v1.enable_v2_behavior()
scaler = tf.train.experimental.DynamicLossScale(initial_loss_scale=8.0, increment_period=2)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    opt=tf.keras.optimizers.SGD(0.5), loss_scale=scaler
)
var, factor = tf.Variable(4.0), tf.Variable(1.0, trainable=False)
for step, value in enumerate([1.0, 1.0, float("nan"), 2.0, float("inf"), 1.0]):
    factor.assign(value)
    opt.minimize(lambda: var * factor, var_list=[var])
    observe("step%d.var" % step, var)
    observe("step%d.scale" % step, scaler())
    observe("step%d.steps" % step, scaler._num_good_steps)
observe("inner", type(opt._optimizer))
observe("learning_rate", opt.learning_rate)
observe("isinstance", isinstance(opt, tf.keras.mixed_precision.experimental.LossScaleOptimizer))
