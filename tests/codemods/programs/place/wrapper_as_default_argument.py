# SPDX-License-Identifier: Apache-2.0
"""The wrapped optimizer is a default argument."""

import tensorflow as tf


def train(weight, opt=tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 8)):
    opt.apply_gradients([(tf.constant(1.0), weight)])
    return weight.numpy(), int(opt.iterations)


weight = tf.Variable(1.0)
print(train(weight), train(weight))
