# SPDX-License-Identifier: Apache-2.0
"""A function returns the optimizer with other things."""

import tensorflow as tf


def make():
    return tf.Variable(1.0), tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)


weight, opt = make()
opt.apply_gradients([(tf.constant(1.0), weight)])
print(weight.numpy(), opt.loss_scale().numpy())
