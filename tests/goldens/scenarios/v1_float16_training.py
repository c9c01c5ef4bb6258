# SPDX-License-Identifier: Apache-2.0
"""A float16 model with float32 variables trained by the v1 optimizer; overflows are skipped."""
# versions: 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe

tf.disable_v2_behavior()
var = tf.get_variable("var", initializer=2.0)
scaler = tf.train.experimental.DynamicLossScale(2.0 ** 16, increment_period=3)
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.train.GradientDescentOptimizer(0.125), scaler
)
half = tf.cast(var, tf.float16)
train_op = opt.minimize(half * half)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(7):
        sess.run(train_op)
        observe("step%d.var" % step, sess.run(var))
        observe("step%d.scale" % step, sess.run(scaler()))
