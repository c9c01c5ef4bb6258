# SPDX-License-Identifier: Apache-2.0
"""Adam inside the v1 optimizer: moments and powers on applied and skipped steps."""
# versions: 1.14 1.15 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [])
var = tf.get_variable("var", initializer=1.0)
inner = tf.train.AdamOptimizer(0.5)
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
    inner, tf.train.experimental.DynamicLossScale(8, 2)
)
train_op = opt.minimize(var * x)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step, value in enumerate([1.0, float("nan"), 2.0, -1.0]):
        sess.run(train_op, {x: value})
        slots = [inner.get_slot(var, "m"), inner.get_slot(var, "v")]
        observe("step%d.slots" % step, sess.run(slots))
        observe("step%d.powers" % step, sess.run(list(inner._get_beta_accumulators())))
        observe("step%d.var" % step, sess.run(var))
