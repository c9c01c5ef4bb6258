# SPDX-License-Identifier: Apache-2.0
"""A loss-scale object given to an optimizer stays live: the caller sees its state move."""
# versions: 2.0 2.1 2.2 2.3
import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mixed_precision

from observe import observe

scaler = tf.train.experimental.DynamicLossScale(initial_loss_scale=256, increment_period=2)
opt = mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), loss_scale=scaler)
observe("same_object", opt.loss_scale is scaler)
var = tf.Variable(1.0)
for step, gradient in enumerate([1.0, 1.0, float("nan"), float("nan"), 1.0]):
    opt.apply_gradients([(tf.constant(gradient), var)])
    observe("step%d.scale" % step, scaler())
    observe("step%d.good_steps" % step, scaler._num_good_steps)
