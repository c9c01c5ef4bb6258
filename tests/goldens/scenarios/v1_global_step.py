# SPDX-License-Identifier: Apache-2.0
"""global_step counts applied steps only, with the dynamic scale."""
# versions: 1.14 1.15 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [])
var = tf.get_variable("var", initializer=1.0)
global_step = tf.train.create_global_step()
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.train.AdamOptimizer(0.25), "dynamic"
)
grads_and_vars = opt.compute_gradients(var * x, [var])
train_op = opt.apply_gradients(grads_and_vars, global_step=global_step, name="train")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step, value in enumerate([1.0, float("nan"), float("inf"), 1.0, 1.0]):
        sess.run(train_op, {x: value})
        observe("step%d.global_step" % step, sess.run(global_step))
        observe("step%d.var" % step, sess.run(var))
