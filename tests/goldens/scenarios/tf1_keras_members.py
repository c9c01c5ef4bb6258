# SPDX-License-Identifier: Apache-2.0
"""The members the Keras wrapper of 1.15 had: scale, iterations, learning rates, gradients."""
# versions: 1.15
# run: --tf1
import tensorflow as tf

from observe import observe, observe_error

tf.enable_v2_behavior()
inner = tf.keras.optimizers.SGD(0.5)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(inner, 16)
observe("scale", opt.loss_scale())
observe("is_fixed", isinstance(opt.loss_scale, tf.train.experimental.FixedLossScale))
observe("scaled", opt.get_scaled_loss(tf.constant(2.0)))
observe("scaled_callable", opt.get_scaled_loss(lambda: tf.constant(2.0))())
observe("unscaled", opt.get_unscaled_gradients([tf.constant(8.0), None]))
observe("lr", opt.lr)
opt.learning_rate = 0.25
observe("inner.lr", inner.lr)
var = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(float("nan")), var)])
observe("var", var)
observe("iterations", opt.iterations)
observe_error("none_gradients", lambda: opt.apply_gradients([(None, var)]))
