# SPDX-License-Identifier: Apache-2.0
"""An optimizer of TensorFlow 1 that Keras' wrapper refuses, and the wrapper for it takes."""

import tensorflow as tf


class Own(tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer):
    @property
    def loss_scale(self):
        return self._loss_scale


def wrapped(opt, loss_scale):
    if isinstance(opt, tf.compat.v1.train.Optimizer):
        return Own(opt, loss_scale)
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale)


scale = tf.train.experimental.DynamicLossScale(64, 1)
opt = wrapped(tf.compat.v1.train.GradientDescentOptimizer(0.25), scale)
weight = tf.Variable(1.0)
opt.minimize(lambda: weight * weight, var_list=[weight])
if isinstance(opt, tf.keras.mixed_precision.experimental.LossScaleOptimizer | Own):
    print(opt.loss_scale().numpy(), opt.loss_scale is scale)
print(weight.numpy(), scale().numpy())
