# SPDX-License-Identifier: Apache-2.0
"""Scale, counter and variable after each step, read as code does that supports old and new."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as prec

from observe import observe

NAN, INF = float("nan"), float("inf")
opt = tf.keras.optimizers.SGD(0.25)
opt = prec.LossScaleOptimizer(
    opt, loss_scale=tf.train.experimental.DynamicLossScale(8.0, increment_period=3)
)
var = tf.Variable(4.0)


def current_scale():
    return opt.get_scaled_loss(tf.constant(1.0))


def good_steps():
    if hasattr(opt, "dynamic_counter"):
        return opt.dynamic_counter
    return opt.loss_scale._num_good_steps


observe("start.scale", current_scale())
observe("start.good_steps", good_steps())
for step, gradient in enumerate([1.0, 1.0, 1.0, INF, 1.0, 1.0, -INF, NAN, 1.0, 1.0, 1.0, 1.0]):
    opt.apply_gradients(zip([tf.constant(gradient)], [var]))
    observe("step%d.scale" % step, current_scale())
    observe("step%d.good_steps" % step, good_steps())
    observe("step%d.var" % step, var)
