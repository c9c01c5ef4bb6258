# SPDX-License-Identifier: Apache-2.0
"""The optimizer takes a loss scale's config where it takes a loss scale; the v1 optimizer does not."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe, observe_error

exp = tf.train.experimental
FIXED = {"class_name": "FixedLossScale", "config": {"loss_scale_value": 8.0}}
DYNAMIC = {"class_name": "DynamicLossScale", "config": {"initial_loss_scale": 64.0}}
MINE = {"class_name": "Mine", "config": {"loss_scale_value": 16.0}}


class Mine(exp.FixedLossScale):
    pass


def make(loss_scale):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(1.0), loss_scale
    )


def scale(opt):
    return opt.get_scaled_loss(tf.constant(1.0))


observe("fixed.scale", scale(make(FIXED)))
opt = make(DYNAMIC)
observe("dynamic.scale", scale(opt))
var = tf.Variable(1.0)
opt.apply_gradients([(tf.constant(float("nan")), var)])
observe("dynamic.scale_after_nan", scale(opt))
with tf.keras.utils.custom_object_scope({"Mine": Mine}):
    observe("mine.scale", scale(make(MINE)))
observe_error("mine.out_of_scope", lambda: make(MINE))
observe_error("unknown_key", lambda: make({"name": "DynamicLossScale"}))
observe_error("no_config", lambda: make({"class_name": "DynamicLossScale"}))
observe_error("below_one", lambda: make({"class_name": "FixedLossScale", "config": {"loss_scale_value": 0.5}}))
opt = exp.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(1.0), FIXED)
observe("rewrite.scale", scale(opt))
exp.disable_mixed_precision_graph_rewrite()
v1_exp = tf.compat.v1.train.experimental
sgd = tf.compat.v1.train.GradientDescentOptimizer(1.0)
observe_error("v1", lambda: v1_exp.MixedPrecisionLossScaleOptimizer(sgd, FIXED))
observe_error("v1_rewrite", lambda: v1_exp.enable_mixed_precision_graph_rewrite(sgd, FIXED))
