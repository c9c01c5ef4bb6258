# SPDX-License-Identifier: Apache-2.0
"""The wrapper of TensorFlow 1 with a loss scale object, which is read."""

import tensorflow as tf

scale = tf.compat.v1.train.experimental.DynamicLossScale(64, 2)
opt = tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.compat.v1.train.GradientDescentOptimizer(0.25), scale
)
weight = tf.Variable(1.0)
for factor in (1.0, 2.0, float("inf"), 1.0):
    opt.minimize(lambda: factor * weight * weight, var_list=[weight])
    print(weight.numpy(), scale().numpy())
