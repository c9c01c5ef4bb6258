# SPDX-License-Identifier: Apache-2.0
"""From 2.3 get_slot reaches the inner optimizer's slots."""
# versions: 2.3 2.4
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.5, momentum=0.5), "dynamic"
)
var = tf.Variable([4.0, 8.0])
for step, gradient in enumerate([1.0, float("nan"), 2.0]):
    opt.apply_gradients([(tf.constant([gradient, 2.0]), var)])
    observe("step%d.slot" % step, opt.get_slot(var, "momentum"))
observe("names", opt.get_slot_names())
observe("same", opt.get_slot(var, "momentum") is opt._optimizer.get_slot(var, "momentum"))
