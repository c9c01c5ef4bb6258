# SPDX-License-Identifier: Apache-2.0
"""LossScale objects of TensorFlow 1 in eager mode, updated by hand."""
# versions: 1.14 1.15
# run: --tf1
import tensorflow as tf

from observe import observe

tf.enable_eager_execution()
exp = tf.train.experimental
scaler = exp.DynamicLossScale(initial_loss_scale=4.0, increment_period=2, multiplier=4.0)
for step, value in enumerate([1.0, 1.0, float("nan"), float("inf"), 1.0]):
    _, should_apply = scaler.update([tf.constant([value, 1.0]), None])
    observe("step%d.should_apply" % step, should_apply)
    observe("step%d.scale" % step, scaler())
    observe("step%d.steps" % step, scaler._num_good_steps)
observe("config", scaler.get_config())
observe("fixed.scale", exp.FixedLossScale(5)())
observe("fixed.config", exp.FixedLossScale(5).get_config())
