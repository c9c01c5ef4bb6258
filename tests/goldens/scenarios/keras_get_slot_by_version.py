# SPDX-License-Identifier: Apache-2.0
"""get_slot and add_slot on the wrapper: refused up to 2.2, passed on from 2.3."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe, observe_error

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.5, momentum=0.5), "dynamic"
)
var = tf.Variable([4.0, 8.0])
opt.apply_gradients([(tf.constant([1.0, 2.0]), var)])
observe_error("get_slot", lambda: opt.get_slot(var, "momentum").numpy())
observe_error("add_slot", lambda: opt.add_slot(var, "extra"))
observe_error("get_slot_names", lambda: opt.get_slot_names())
