# SPDX-License-Identifier: Apache-2.0
"""LossScale objects in a graph: update() gives an op and a flag to run."""
# versions: 1.14 1.15 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf

from observe import observe, observe_error

tf.disable_v2_behavior()
exp = tf.train.experimental
x = tf.placeholder(tf.float32, [2])
scaler = exp.DynamicLossScale(initial_loss_scale=4, increment_period=2)
update_op, should_apply = scaler.update([x, None])
fixed = exp.FixedLossScale(3)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step, value in enumerate([[1.0, 2.0], [1.0, 2.0], [1.0, float("nan")], [1.0, 1.0]]):
        observe("step%d.should_apply" % step, sess.run(should_apply, {x: value}))
        sess.run(update_op, {x: value})
        observe("step%d.scale" % step, sess.run(scaler()))
        observe("step%d.steps" % step, sess.run(scaler._num_good_steps))
    observe("fixed.scale", sess.run(fixed()))
observe("fixed.update", fixed.update([x])[1])
observe("config", scaler.get_config())
observe("fixed.config", fixed.get_config())
observe("from_config", exp.DynamicLossScale.from_config({"initial_loss_scale": 2}).get_config())
observe_error("fixed_half", lambda: exp.FixedLossScale(0.5))
