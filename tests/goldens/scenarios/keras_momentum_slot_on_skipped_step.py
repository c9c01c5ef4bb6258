# SPDX-License-Identifier: Apache-2.0
"""A skipped step leaves the momentum slot alone; the weights list holds iterations and slots."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.5, momentum=0.5), "dynamic"
)
var = tf.Variable([4.0, 8.0])
observe("before.weights", opt.get_weights())
for step, gradient in enumerate([1.0, float("nan"), 1.0]):
    opt.apply_gradients([(tf.constant([gradient, 2.0]), var)])
    observe("step%d.slots" % step, opt.get_weights()[1:])
    observe("step%d.var" % step, var)
observe("weights.count", len(opt.weights))
observe("variables.count", len(opt.variables()))
observe("slot_names", opt._optimizer.get_slot_names())
observe("inner.slot", opt._optimizer.get_slot(var, "momentum"))
