# SPDX-License-Identifier: Apache-2.0
"""A TensorFlow 1 program, import and all: dynamic loss scaling of gradient descent."""
# versions: 1.14 1.15
# run: --tf1
import tensorflow as tf

from observe import observe

x = tf.placeholder(tf.float32, shape=[])
weight = tf.Variable(2.0, name="weight")
global_step = tf.train.get_or_create_global_step()
optimizer = tf.train.GradientDescentOptimizer(learning_rate=0.25)
optimizer = tf.train.experimental.MixedPrecisionLossScaleOptimizer(optimizer, "dynamic")
train_op = optimizer.minimize(tf.square(weight) * x, global_step=global_step)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step, value in enumerate([1.0, float("nan"), 1.0, float("inf"), 1.0]):
        sess.run(train_op, {x: value})
        observe("step%d.weight" % step, sess.run(weight))
        observe("step%d.global_step" % step, sess.run(global_step))
        observe("step%d.scale" % step, sess.run(optimizer._loss_scale()))
