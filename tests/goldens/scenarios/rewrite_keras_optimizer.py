# SPDX-License-Identifier: Apache-2.0
"""The graph rewrite around Keras optimizers gives a Keras LossScaleOptimizer."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

LossScaleOptimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer
for name, arguments in [
    ("default", {}),
    ("number", {"loss_scale": 32}),
    ("object", {"loss_scale": tf.train.experimental.DynamicLossScale(16, 1)}),
]:
    inner = tf.keras.optimizers.SGD(0.5)
    opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(inner, **arguments)
    observe(name + ".isinstance", isinstance(opt, LossScaleOptimizer))
    observe(name + ".inner_is_given", opt._optimizer is inner)
    observe(name + ".scale", opt.get_scaled_loss(tf.constant(1.0)))
    var = tf.Variable(2.0)
    opt.minimize(lambda: var * 2.0, var_list=[var])
    observe(name + ".var", var)
    observe(name + ".next.scale", opt.get_scaled_loss(tf.constant(1.0)))
tf.train.experimental.disable_mixed_precision_graph_rewrite()
