# SPDX-License-Identifier: Apache-2.0
"""A TensorFlow 1 program that switches the graph rewrite on, trains, and switches it off."""
# versions: 1.14 1.15
# run: --tf1
import tensorflow as tf

from observe import observe, observe_error

tf.logging.set_verbosity(tf.logging.ERROR)
var = tf.Variable([1.0, 2.0])
global_step = tf.train.get_or_create_global_step()
opt = tf.train.AdamOptimizer(0.5)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
train_op = opt.minimize(tf.reduce_sum(var ** 2), global_step=global_step)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        sess.run(train_op)
        observe("step%d.var" % step, sess.run(var))
    observe("global_step", sess.run(global_step))
tf.train.experimental.disable_mixed_precision_graph_rewrite()
observe_error("again", lambda: tf.train.experimental.disable_mixed_precision_graph_rewrite())
observe("type", type(opt))
