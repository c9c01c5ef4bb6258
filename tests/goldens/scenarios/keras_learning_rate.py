# SPDX-License-Identifier: Apache-2.0
"""learning_rate and lr are read from and written to the inner optimizer."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

inner = tf.keras.optimizers.SGD(0.5)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(inner, 4)
var = tf.Variable(1.0)
observe("start.lr", opt.lr)
observe("start.learning_rate", opt.learning_rate)
opt.lr = 0.25
observe("set_lr.inner", inner.learning_rate)
opt.apply_gradients([(tf.constant(1.0), var)])
observe("set_lr.var", var)
opt.learning_rate = 2.0
observe("set_learning_rate.inner", inner.lr)
opt.apply_gradients([(tf.constant(1.0), var)])
observe("set_learning_rate.var", var)
opt.learning_rate.assign(1.0)
opt.apply_gradients([(tf.constant(1.0), var)])
observe("assigned.var", var)
tf.keras.backend.set_value(opt.lr, 0.5)
observe("backend.learning_rate", tf.keras.backend.get_value(opt.learning_rate))
inner.learning_rate = 0.125
observe("inner_set.lr", opt.lr)
