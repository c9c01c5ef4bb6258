# SPDX-License-Identifier: Apache-2.0
"""A program that takes the new names where they are, and the experimental ones otherwise."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf
from tensorflow.keras import mixed_precision

from observe import observe

if hasattr(mixed_precision, "set_global_policy"):
    mixed_precision.set_global_policy("mixed_float16")
    opt = mixed_precision.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.5), initial_scale=64, dynamic_growth_steps=2
    )
    policy = mixed_precision.global_policy()
else:
    mixed_precision.experimental.set_policy("mixed_float16")
    loss_scale = tf.train.experimental.DynamicLossScale(64, 2)
    opt = mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), loss_scale)
    policy = mixed_precision.experimental.global_policy()
observe("policy", [policy.name, policy.compute_dtype, policy.variable_dtype])
var = tf.Variable(1.0)
for step, gradient in enumerate([1.0, 1.0, float("nan"), 1.0]):
    opt.apply_gradients([(tf.constant(gradient), var)])
    loss_scale = opt.loss_scale() if callable(opt.loss_scale) else opt.loss_scale
    observe("step%d.scale" % step, loss_scale)
    observe("step%d.var" % step, var)
