# SPDX-License-Identifier: Apache-2.0
"""An optimizer is wrapped with the loss scale of the policy."""

import tensorflow as tf

policy = tf.keras.mixed_precision.experimental.Policy("mixed_float16")
tf.keras.mixed_precision.experimental.set_policy(policy)
var = tf.Variable(1.0)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.25), policy.loss_scale
)
for gradient in (32768.0, float("inf"), 16384.0):
    opt.apply_gradients([(tf.constant(gradient), var)])
    print(var.numpy(), opt.loss_scale().numpy())
