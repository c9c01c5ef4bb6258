# SPDX-License-Identifier: Apache-2.0
"""A dynamic scale that starts at a half stays there until the first back-off, which gives 1."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(1.0),
    tf.train.experimental.DynamicLossScale(initial_loss_scale=0.5, increment_period=3),
)
var = tf.Variable(0.0)
nan = float("nan")
observe("start.scale", opt.get_scaled_loss(tf.constant(1.0)))
for step, gradient in enumerate([1.0, 1.0, nan, nan, 1.0, 1.0, 1.0]):
    opt.apply_gradients([(tf.constant(gradient), var)])
    observe("step%d.scale" % step, opt.get_scaled_loss(tf.constant(1.0)))
