# SPDX-License-Identifier: Apache-2.0
"""The v1 optimizer with a fixed scale applies NaN and counts the step."""
# versions: 1.14 1.15 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe

with tf.Graph().as_default(), tf.Session() as sess:
    x = tf.placeholder(tf.float32, [])
    var = tf.get_variable("var", initializer=1.0)
    global_step = tf.train.get_or_create_global_step()
    opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
        tf.train.GradientDescentOptimizer(1.0), 128
    )
    train_op = opt.minimize(var * x, global_step=global_step)
    sess.run(tf.global_variables_initializer())
    for step, value in enumerate([1.0, float("nan"), 1.0]):
        sess.run(train_op, {x: value})
        observe("step%d.var" % step, sess.run(var))
        observe("step%d.global_step" % step, sess.run(global_step))
