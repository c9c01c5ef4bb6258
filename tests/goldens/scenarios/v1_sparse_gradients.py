# SPDX-License-Identifier: Apache-2.0
"""Embedding lookups in the v1 optimizer: sparse gradients are unscaled and applied."""
# versions: 1.14 1.15 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [])
table = tf.get_variable("table", initializer=[[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
loss = tf.reduce_sum(tf.nn.embedding_lookup(table, [0, 2, 2])) * x
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.train.GradientDescentOptimizer(0.5), tf.train.experimental.DynamicLossScale(32, 2)
)
pairs = opt.compute_gradients(loss)
observe("is_sparse", isinstance(pairs[0][0], tf.IndexedSlices))
train_op = opt.apply_gradients(pairs)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    observe("gradient", sess.run(pairs[0][0].values, {x: 2.0}))
    for step, value in enumerate([1.0, float("nan"), 1.0, 2.0]):
        sess.run(train_op, {x: value})
        observe("step%d.table" % step, sess.run(table))
        observe("step%d.scale" % step, sess.run(opt._loss_scale()))
