# SPDX-License-Identifier: Apache-2.0
"""The scale and the good-step counter follow NaN gradients injected at several steps."""
# versions: 2.0 2.1 2.2 2.3
import tensorflow as tf

from observe import observe

NAN = float("nan")
loss_scale = tf.train.experimental.DynamicLossScale(initial_loss_scale=16.0, increment_period=2)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.5), loss_scale
)
var = tf.Variable([1.0, 2.0])

gradients = [1.0, 1.0, NAN, 1.0, NAN, NAN, 1.0, 1.0, 1.0, 1.0, NAN, 1.0]
for step, gradient in enumerate(gradients):
    opt.apply_gradients([(tf.constant([1.0, gradient]), var)])
    observe("step%d.scale" % step, opt.loss_scale())
    observe("step%d.good_steps" % step, opt.loss_scale._num_good_steps)
    observe("step%d.var" % step, var)
