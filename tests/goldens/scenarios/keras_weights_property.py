# SPDX-License-Identifier: Apache-2.0
"""weights, variables() and get_weights name the same things, before and after training."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(), 8)
var = tf.Variable([1.0, 1.0], name="v")
observe("before.weights", len(opt.weights))
opt.apply_gradients([(tf.constant([1.0, 1.0]), var)])
observe("after.weights", [w.shape.as_list() for w in opt.weights])
observe("after.variables", [w.shape.as_list() for w in opt.variables()])
observe("after.get_weights", [list(w.shape) for w in opt.get_weights()])
observe("inner_same", [a is b for a, b in zip(opt.weights, opt._optimizer.weights)])
