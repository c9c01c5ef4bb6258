# SPDX-License-Identifier: Apache-2.0
"""A multiplier of 4 grows and shrinks the scale by 4, never below 1."""
# versions: 2.0 2.1 2.2 2.3
import tensorflow as tf

from observe import observe

scaler = tf.train.experimental.DynamicLossScale(
    initial_loss_scale=32.0, increment_period=2, multiplier=4.0
)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(1.0), loss_scale=scaler
)
var = tf.Variable(0.0)
nan = float("nan")
for step, gradient in enumerate([1.0, 1.0, nan, nan, nan, nan, 1.0, 1.0, 1.0, 1.0]):
    opt.apply_gradients([(tf.constant(gradient), var)])
    observe("step%d.scale" % step, opt.loss_scale())
    observe("step%d.var" % step, var)
observe("multiplier", opt.loss_scale.multiplier)
observe("config", opt.get_config()["loss_scale"])
