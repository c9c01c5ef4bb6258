# SPDX-License-Identifier: Apache-2.0
"""With a multiplier other than 2, get_config nests the serialized optimizer and loss scale."""
# versions: 2.0 2.1 2.2 2.3
import tensorflow as tf

from observe import observe

LossScaleOptimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer
scaler = tf.train.experimental.DynamicLossScale(64, increment_period=1, multiplier=4)
opt = LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), scaler)
config = opt.get_config()
observe("keys", sorted(config))
observe("loss_scale", config["loss_scale"])
observe("inner", config["optimizer"]["class_name"])
observe("inner_learning_rate", config["optimizer"]["config"]["learning_rate"])
again = LossScaleOptimizer.from_config(config)
var = tf.Variable(1.0)
again.minimize(lambda: var * 1.0, [var])
observe("again.scale", again.loss_scale())
observe("again.var", var)
observe("again.multiplier", again.loss_scale.multiplier)
