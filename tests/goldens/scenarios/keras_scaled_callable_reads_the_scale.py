# SPDX-License-Identifier: Apache-2.0
"""A scaled callable kept over a change of the scale: 2.4 reads the scale at each call."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(1.0), tf.train.experimental.DynamicLossScale(8.0, 1)
)
var = tf.Variable(0.0)
scaled = opt.get_scaled_loss(lambda: tf.constant(2.0))
observe("before", scaled())
opt.apply_gradients([(tf.constant(1.0), var)])
observe("after", scaled())
