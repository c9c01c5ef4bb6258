# SPDX-License-Identifier: Apache-2.0
"""Private names that training code read: the inner optimizer, the scale and its counter."""
# versions: 2.0 2.1 2.2 2.3
import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer

from observe import observe

inner = tf.keras.optimizers.SGD(0.5)
loss_scale = tf.train.experimental.DynamicLossScale(64.0, increment_period=4, multiplier=2.0)
opt = LossScaleOptimizer(inner, loss_scale)
var = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 1.0, 1.0]:
    opt.apply_gradients([(tf.constant(gradient), var)])
observe("inner_is_given", opt._optimizer is inner)
observe("loss_scale_is_given", opt._loss_scale is loss_scale)
observe("private_call.scale", opt._loss_scale())
observe("current_loss_scale.scale", opt.loss_scale._current_loss_scale)
observe("num_good_steps.steps", opt.loss_scale._num_good_steps)
observe("increment_period", opt.loss_scale._increment_period)
observe("multiplier", opt.loss_scale._multiplier)
observe("initial_loss_scale", opt.loss_scale._initial_loss_scale)
observe("current.dtype", opt.loss_scale._current_loss_scale.dtype)
observe("steps.dtype", opt.loss_scale._num_good_steps.dtype)
observe("current.trainable", opt.loss_scale._current_loss_scale.trainable)
fixed = LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), 32)
observe("fixed.value", fixed.loss_scale._loss_scale_value)
