# SPDX-License-Identifier: Apache-2.0
"""A user-defined loss scale in the v1 optimizer, in graph mode."""
# versions: 1.14 1.15 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe

tf.disable_v2_behavior()


class Ladder(tf.train.experimental.LossScale):
    """Adds 1 after every finite step, starts again otherwise."""

    def __init__(self):
        super(Ladder, self).__init__()
        self._rung = self._add_weight("rung", initial_value=2.0, dtype=tf.float32)

    def __call__(self):
        return tf.identity(self._rung)

    def update(self, grads):
        finite = tf.reduce_all([tf.reduce_all(tf.is_finite(g)) for g in grads])
        op = self._rung.assign(tf.where(finite, self._rung + 1.0, 2.0))
        return op, finite

    def get_config(self):
        return {}


x = tf.placeholder(tf.float32, [])
var = tf.get_variable("var", initializer=1.0)
scaler = Ladder()
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.train.GradientDescentOptimizer(1.0), scaler
)
train_op = opt.minimize(var * x)
observe("names", sorted(v.op.name for v in tf.global_variables()))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step, value in enumerate([1.0, 1.0, float("nan"), 1.0]):
        sess.run(train_op, {x: value})
        observe("step%d.scale" % step, sess.run(scaler()))
        observe("step%d.var" % step, sess.run(var))
