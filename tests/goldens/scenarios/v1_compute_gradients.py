# SPDX-License-Identifier: Apache-2.0
"""compute_gradients gives unscaled gradients, also for a loss that overflows when scaled."""
# versions: 1.14 1.15 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe

tf.disable_v2_behavior()
a = tf.get_variable("a", initializer=[1.0, 2.0])
b = tf.get_variable("b", initializer=3.0)
unused = tf.get_variable("unused", initializer=4.0)
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.train.GradientDescentOptimizer(1.0), 1024.0
)
pairs = opt.compute_gradients(tf.reduce_sum(a ** 2) * b, [a, b, unused])
observe("has_gradient", [g is not None for g, _ in pairs])
observe("variables", [v.op.name for _, v in pairs])
huge = opt.compute_gradients(b * 2.0 ** 120, [b])
clipped = [(tf.clip_by_norm(g, 1.0), v) for g, v in pairs if g is not None]
train_op = opt.apply_gradients(clipped)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    observe("gradients", sess.run([g for g, _ in pairs if g is not None]))
    observe("huge", sess.run(huge[0][0]))
    sess.run(train_op)
    observe("clipped.a", sess.run(a))
    observe("clipped.b", sess.run(b))
