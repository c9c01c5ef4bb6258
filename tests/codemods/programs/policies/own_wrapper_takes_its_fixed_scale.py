# SPDX-License-Identifier: Apache-2.0
"""An optimizer is wrapped with the fixed loss scale of the policy in force."""

import tensorflow as tf

prec = tf.keras.mixed_precision.experimental
prec.set_policy(prec.Policy("mixed_float16", loss_scale=64))
var = tf.Variable(1.0)
opt = prec.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), prec.global_policy().loss_scale)
opt.apply_gradients([(tf.constant(64.0), var)])
print(var.numpy(), opt.loss_scale().numpy())
