# SPDX-License-Identifier: Apache-2.0
"""A user subclass of the v1 optimizer that overrides both halves of minimize."""
# versions: 1.14 1.15 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe

tf.disable_v2_behavior()


class Clipping(tf.train.experimental.MixedPrecisionLossScaleOptimizer):
    def __init__(self, opt, loss_scale, limit):
        super(Clipping, self).__init__(opt, loss_scale)
        self.limit = limit

    def compute_gradients(self, *args, **kwargs):
        pairs = super(Clipping, self).compute_gradients(*args, **kwargs)
        return [(tf.clip_by_value(g, -self.limit, self.limit), v) for g, v in pairs]

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        doubled = [(g * 2.0, v) for g, v in grads_and_vars]
        return super(Clipping, self).apply_gradients(doubled, global_step, name)


x = tf.placeholder(tf.float32, [])
var = tf.get_variable("var", initializer=1.0)
opt = Clipping(tf.train.GradientDescentOptimizer(1.0), "dynamic", limit=3.0)
train_op = opt.minimize(var * x)
observe("isinstance", isinstance(opt, tf.train.experimental.MixedPrecisionLossScaleOptimizer))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step, value in enumerate([1.0, 100.0, float("nan"), -5.0]):
        sess.run(train_op, {x: value})
        observe("step%d.var" % step, sess.run(var))
    observe("scale", sess.run(opt._loss_scale()))
