# SPDX-License-Identifier: Apache-2.0
"""A decayed schedule in the inner optimizer, on good steps."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

schedule = tf.keras.optimizers.schedules.PiecewiseConstantDecay([1, 3], [1.0, 0.5, 0.25])
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(learning_rate=schedule), "dynamic"
)
var = tf.Variable(0.0)
for step in range(6):
    opt.apply_gradients([(tf.constant(1.0), var)])
    observe("step%d.var" % step, var)
observe("schedule", type(opt.learning_rate))
observe("iterations", opt.iterations)
