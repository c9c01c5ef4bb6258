# SPDX-License-Identifier: Apache-2.0
"""The non-experimental 2.4 optimizer doubles, halves and counts."""
# versions: 2.4
import tensorflow as tf
from tensorflow.keras import mixed_precision

from observe import observe

NAN, INF = float("nan"), float("inf")
opt = mixed_precision.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.5), initial_scale=2, dynamic_growth_steps=2
)
var = tf.Variable([1.0, 1.0])
for step, gradient in enumerate([1.0, 1.0, 1.0, NAN, 1.0, 1.0, INF, INF, INF, 1.0]):
    opt.apply_gradients([(tf.constant([gradient, 1.0]), var)])
    observe("step%d.scale" % step, opt.loss_scale)
    observe("step%d.counter" % step, opt.dynamic_counter)
    observe("step%d.var" % step, var)
