# SPDX-License-Identifier: Apache-2.0
"""One object is the default of two calls."""

import tensorflow as tf


def wrapped(rate, loss_scale=tf.train.experimental.DynamicLossScale(64, 2)):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(rate), loss_scale)


first, second = wrapped(0.25), wrapped(0.5)
weight = tf.Variable(1.0)
for gradient in [1.0, 1.0, float("nan"), 1.0]:
    first.apply_gradients([(tf.constant(gradient), weight)])
    print(second.get_scaled_loss(tf.constant(1.0)).numpy(), weight.numpy())
