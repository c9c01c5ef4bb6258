# SPDX-License-Identifier: Apache-2.0
"""Multiplier 4, the floor of 1 and the cap, in the v1 optimizer."""
# versions: 1.14 1.15 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [])
wrap = tf.train.experimental.MixedPrecisionLossScaleOptimizer
nan = float("nan")
for name, scaler, values in [
    ("four", tf.train.experimental.DynamicLossScale(8, 2, 4.0), [1.0, 1.0, nan, nan, nan, 1.0]),
    ("cap", tf.train.experimental.DynamicLossScale(2.0 ** 127, 1), [1.0, 1.0, nan]),
    ("half", tf.train.experimental.DynamicLossScale(0.5, 2), [1.0, nan, 1.0, 1.0]),
]:
    var = tf.get_variable(name, initializer=0.0)
    train_op = wrap(tf.train.GradientDescentOptimizer(1.0), scaler).apply_gradients([(x, var)])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step, value in enumerate(values):
            sess.run(train_op, {x: value})
            observe("%s.step%d.scale" % (name, step), sess.run(scaler()))
            observe("%s.step%d.steps" % (name, step), sess.run(scaler._num_good_steps))
            observe("%s.step%d.var" % (name, step), sess.run(var))
