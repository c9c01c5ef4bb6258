# SPDX-License-Identifier: Apache-2.0
"""experimental_aggregate_gradients=False (and True) outside of a strategy."""
# versions: 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(1.0), "dynamic"
)
var = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(1.0), var)], experimental_aggregate_gradients=False)
observe("false", var)
opt.apply_gradients([(tf.constant(1.0), var)], experimental_aggregate_gradients=True)
observe("true", var)
opt.apply_gradients([(tf.constant(float("nan")), var)], None, False)
observe("nan", var)
observe("scale", opt.get_scaled_loss(tf.constant(1.0)))
