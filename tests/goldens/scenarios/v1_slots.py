# SPDX-License-Identifier: Apache-2.0
"""Slots belong to the inner v1 optimizer; skipped steps leave them alone."""
# versions: 1.14 1.15 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [])
var = tf.get_variable("var", initializer=[1.0, 2.0])
inner = tf.train.MomentumOptimizer(0.5, 0.5)
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(inner, "dynamic")
train_op = opt.minimize(tf.reduce_sum(var) * x)
observe("inner.slot_names", inner.get_slot_names())
observe("slot_names", opt.get_slot_names())
observe("slot_is_none", opt.get_slot(var, "momentum") is None)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step, value in enumerate([1.0, float("nan"), 2.0]):
        sess.run(train_op, {x: value})
        observe("step%d.slot" % step, sess.run(inner.get_slot(var, "momentum")))
        observe("step%d.var" % step, sess.run(var))
