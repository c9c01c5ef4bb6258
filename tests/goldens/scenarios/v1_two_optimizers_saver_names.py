# SPDX-License-Identifier: Apache-2.0
"""Two v1 optimizers in one graph: the second loss scale's variables are numbered."""
# versions: 1.14 1.15 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe

tf.disable_v2_behavior()
a = tf.get_variable("a", initializer=1.0)
b = tf.get_variable("b", initializer=1.0)
wrap = tf.train.experimental.MixedPrecisionLossScaleOptimizer
first = wrap(tf.train.GradientDescentOptimizer(0.5), "dynamic")
second = wrap(tf.train.GradientDescentOptimizer(0.5), tf.train.experimental.DynamicLossScale(4, 1))
ops = [first.minimize(a * 1.0, var_list=[a]), second.minimize(b * 1.0, var_list=[b])]
observe("names", sorted(v.op.name for v in tf.global_variables()))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(ops)
    observe("values", sess.run([a, b]))
    observe("first.scale", sess.run(first._loss_scale()))
    observe("second.scale", sess.run(second._loss_scale()))
