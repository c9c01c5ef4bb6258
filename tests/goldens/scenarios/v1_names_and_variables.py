# SPDX-License-Identifier: Apache-2.0
"""get_name, variables() and the graph's variables with the v1 optimizer."""
# versions: 1.14 1.15 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe

tf.disable_v2_behavior()
var = tf.get_variable("var", initializer=1.0)
inner = tf.train.MomentumOptimizer(0.5, 0.5)
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(inner, "dynamic")
train_op = opt.minimize(var * 1.0)
observe("name", opt.get_name())
observe("inner_name", inner.get_name())
observe("is_optimizer", isinstance(opt, tf.train.Optimizer))
observe("inner_is_given", opt._optimizer is inner)
observe("global_variables", sorted(v.op.name for v in tf.global_variables()))
observe("trainable_variables", [v.op.name for v in tf.trainable_variables()])
