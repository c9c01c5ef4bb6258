# SPDX-License-Identifier: Apache-2.0
"""The v1 optimizer in a session: a fed NaN skips the step and halves the scale."""
# versions: 1.14 1.15 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [])
var = tf.get_variable("var", initializer=[1.0, 2.0])
loss_scale = tf.train.experimental.DynamicLossScale(initial_loss_scale=16.0, increment_period=2)
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.train.GradientDescentOptimizer(0.5), loss_scale
)
train_op = opt.minimize(tf.reduce_sum(var * x))
scale = loss_scale()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    observe("start.scale", sess.run(scale))
    for step, value in enumerate([1.0, 1.0, float("nan"), 1.0, float("inf"), 1.0, 1.0]):
        sess.run(train_op, feed_dict={x: value})
        observe("step%d.var" % step, sess.run(var))
        observe("step%d.scale" % step, sess.run(scale))
        observe("step%d.good_steps" % step, sess.run(loss_scale._num_good_steps))
