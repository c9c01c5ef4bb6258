# SPDX-License-Identifier: Apache-2.0
"""The v1 optimizer given 'dynamic': the start, the growth period and the back-off."""
# versions: 1.14 1.15 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe

with tf.Graph().as_default(), tf.Session() as sess:
    x = tf.placeholder(tf.float32, [])
    var = tf.get_variable("var", initializer=1.0)
    opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
        tf.train.GradientDescentOptimizer(1.0), loss_scale="dynamic"
    )
    train_op = opt.minimize(var * x)
    sess.run(tf.global_variables_initializer())
    observe("initial_loss_scale", opt._loss_scale.initial_loss_scale)
    observe("increment_period", opt._loss_scale.increment_period)
    observe("multiplier", opt._loss_scale.multiplier)
    for step, value in enumerate([float("nan"), 1.0, float("nan")]):
        sess.run(train_op, {x: value})
        observe("step%d.scale" % step, sess.run(opt._loss_scale()))
        observe("step%d.var" % step, sess.run(var))
