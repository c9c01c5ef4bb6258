# SPDX-License-Identifier: Apache-2.0
"""Weights are taken from one optimizer to another."""

import tensorflow as tf

weight = tf.Variable(1.0)
first, second = (tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.1), "dynamic") for _ in range(2))
for opt in (first, second):
    opt.apply_gradients([(tf.constant(1.0), weight)])
first.apply_gradients([(tf.constant(2.0), weight)])
second.set_weights(first.get_weights())
second.apply_gradients([(tf.constant(2.0), weight)])
print(weight.numpy(), int(second.iterations))
