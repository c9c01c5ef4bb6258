# SPDX-License-Identifier: Apache-2.0
"""In 2.4 the experimental optimizer tells its scale as a tensor and counts in dynamic_counter."""
# versions: 2.4
import tensorflow as tf

from observe import observe

NAN = float("nan")
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(1.0),
    tf.mixed_precision.experimental.DynamicLossScale(initial_loss_scale=4, increment_period=2),
)
var = tf.Variable(10.0)
observe("dynamic", opt.dynamic)
observe("initial_scale", opt.initial_scale)
observe("dynamic_growth_steps", opt.dynamic_growth_steps)
for step, gradient in enumerate([1.0, NAN, 1.0, 1.0, 1.0, 1.0, NAN, NAN, NAN, NAN, 1.0]):
    opt.apply_gradients([(tf.constant(gradient), var)])
    observe("step%d.scale" % step, opt.loss_scale)
    observe("step%d.counter" % step, opt.dynamic_counter)
    observe("step%d.iterations" % step, opt.iterations)
    observe("step%d.var" % step, var)
