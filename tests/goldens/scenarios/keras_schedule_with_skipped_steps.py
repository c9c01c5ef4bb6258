# SPDX-License-Identifier: Apache-2.0
"""A schedule reads iterations, so whether skipped steps count decides the learning rate."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

schedule = tf.keras.optimizers.schedules.PiecewiseConstantDecay([0, 2], [1.0, 0.5, 0.25])
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(schedule), "dynamic"
)
var = tf.Variable(0.0)
for step, gradient in enumerate([1.0, float("nan"), float("nan"), 1.0]):
    opt.apply_gradients([(tf.constant(gradient), var)])
    observe("step%d.var" % step, var)
