# SPDX-License-Identifier: Apache-2.0
"""The private modules that TensorFlow 1 code imported the v1 classes from."""
# versions: 1.14 1.15 2.0 2.1 2.2 2.3 2.4
import tensorflow.compat.v1 as tf
from tensorflow.python.training.experimental import loss_scale as loss_scale_lib
from tensorflow.python.training.experimental import loss_scale_optimizer as lso_lib
from tensorflow.python.training.experimental import mixed_precision

from observe import observe

tf.disable_v2_behavior()
exp = tf.train.experimental
observe("optimizer", lso_lib.MixedPrecisionLossScaleOptimizer is exp.MixedPrecisionLossScaleOptimizer)
observe("dynamic", loss_scale_lib.DynamicLossScale is exp.DynamicLossScale)
observe("fixed", loss_scale_lib.FixedLossScale is exp.FixedLossScale)
observe("base", loss_scale_lib.LossScale is exp.LossScale)
observe("enable", callable(mixed_precision.enable_mixed_precision_graph_rewrite_v1)
        if hasattr(mixed_precision, "enable_mixed_precision_graph_rewrite_v1")
        else callable(mixed_precision.enable_mixed_precision_graph_rewrite))
opt = lso_lib.MixedPrecisionLossScaleOptimizer(
    tf.train.GradientDescentOptimizer(1.0), loss_scale_lib.get(16)
)
observe("isinstance", isinstance(opt._loss_scale, loss_scale_lib.FixedLossScale))
observe("get", loss_scale_lib.get("dynamic").get_config())
var = tf.get_variable("var", initializer=1.0)
train_op = opt.minimize(var * 2.0)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op)
    observe("var", sess.run(var))
