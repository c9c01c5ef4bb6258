# SPDX-License-Identifier: Apache-2.0
"""In 2.4 a fixed scale of a half multiplies the loss and divides the gradients."""
# versions: 2.4
import tensorflow as tf

from observe import observe

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(1.0), 0.5)
var = tf.Variable(4.0)
observe("scaled", opt.get_scaled_loss(tf.constant(3.0)))
observe("unscaled", opt.get_unscaled_gradients([tf.constant(3.0)]))
opt.minimize(lambda: var ** 2, var_list=[var])
observe("var", var)
observe("config.scale", opt.get_config()["initial_scale"])
observe("config.dynamic", opt.get_config()["dynamic"])
