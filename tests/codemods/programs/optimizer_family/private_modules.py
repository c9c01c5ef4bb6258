# SPDX-License-Identifier: Apache-2.0
"""Optimizers and schedules come from TensorFlow's private modules."""

import tensorflow as tf
from tensorflow.python.keras.optimizer_v2 import learning_rate_schedule as schedules
from tensorflow.python.keras.optimizer_v2.gradient_descent import SGD
from tensorflow.python.keras.optimizer_v2.optimizer_v2 import OptimizerV2


class Halved(schedules.LearningRateSchedule):
    def __call__(self, step):
        return 0.5 / (tf.cast(step, tf.float32) + 1.0)


opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(SGD(Halved()), "dynamic")
weight = tf.Variable(1.0)
for gradient in [1.0, float("nan"), 0.5]:
    opt.apply_gradients([(tf.constant(gradient), weight)])
    print(weight.numpy())
print(isinstance(opt, OptimizerV2), opt.loss_scale().numpy())
