# SPDX-License-Identifier: Apache-2.0
"""A multiplier that is no whole number works in the same way."""
# versions: 2.0 2.1 2.2 2.3
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(1.0),
    tf.train.experimental.DynamicLossScale(8, increment_period=1, multiplier=1.5),
)
var = tf.Variable(0.0)
nan = float("nan")
for step, gradient in enumerate([1.0, 1.0, nan, nan, nan, 1.0, nan, nan, nan, nan, nan, nan]):
    opt.apply_gradients([(tf.constant(gradient), var)])
    observe("step%d.scale" % step, opt.loss_scale())
