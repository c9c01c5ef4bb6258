# SPDX-License-Identifier: Apache-2.0
"""A fixed scale neither checks nor skips: a NaN gradient reaches the variable."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(1.0), 128
)
var = tf.Variable([1.0, 2.0])
opt.apply_gradients([(tf.constant([1.0, 1.0]), var)])
observe("good.var", var)
opt.apply_gradients([(tf.constant([1.0, float("nan")]), var)])
observe("bad.var", var)
opt.apply_gradients([(tf.constant([float("inf"), 1.0]), var)])
observe("worse.var", var)
observe("scale", opt.get_scaled_loss(tf.constant(1.0)))
observe("iterations", opt.iterations)
