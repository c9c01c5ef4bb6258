# SPDX-License-Identifier: Apache-2.0
"""Whether the object passed in follows the optimizer: it does up to 2.3."""
# versions: 2.0 2.1 2.2 2.3 2.4
import tensorflow as tf

from observe import observe

scaler = tf.train.experimental.DynamicLossScale(64.0, 2)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(1.0), scaler
)
var = tf.Variable(0.0)
opt.apply_gradients([(tf.constant(float("nan")), var)])
observe("optimizer.scale", opt.get_scaled_loss(tf.constant(1.0)))
observe("object.scale", scaler())
observe("property_is_loss_scale", isinstance(opt.loss_scale, tf.train.experimental.LossScale))
observe("property_is_tensor", isinstance(opt.loss_scale, tf.Tensor))
