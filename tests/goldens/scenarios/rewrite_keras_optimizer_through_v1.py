# SPDX-License-Identifier: Apache-2.0
"""The rewrite under its compat.v1 name takes v1 and Keras optimizers alike."""
# versions: 1.15 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe

tf.enable_eager_execution()
exp = tf.train.experimental
keras = exp.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(0.5), 8)
v1 = exp.enable_mixed_precision_graph_rewrite(tf.train.GradientDescentOptimizer(0.5), 8)
observe("keras", isinstance(keras, tf.keras.mixed_precision.experimental.LossScaleOptimizer))
observe("v1", isinstance(v1, exp.MixedPrecisionLossScaleOptimizer))
observe("keras.scale", keras.get_scaled_loss(tf.constant(1.0)))
var = tf.Variable(2.0)
keras.minimize(lambda: var * 2.0, var_list=[var])
observe("keras.var", var)
v1.minimize(lambda: var * 2.0, var_list=[var])
observe("v1.var", var)
