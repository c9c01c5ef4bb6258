# SPDX-License-Identifier: Apache-2.0
"""The optimizer is built again from its config with another inner optimizer."""

import tensorflow as tf

LossScaleOptimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer
opt = LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), 64)
config = opt.get_config()
config["optimizer"] = tf.keras.optimizers.serialize(tf.keras.optimizers.Adam(0.25))
again = LossScaleOptimizer.from_config(config)
var = tf.Variable(1.0)
again.apply_gradients([(tf.constant(1.0), var)])
print(var.numpy(), again.loss_scale().numpy())
