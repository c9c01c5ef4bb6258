# SPDX-License-Identifier: Apache-2.0
"""`minimize` does all of it."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 2))
weight = tf.Variable(1.0)
for factor in (1.0, 2.0, float("inf"), 1.0):
    opt.minimize(lambda: factor * weight * weight, var_list=[weight])
    print(weight.numpy(), int(opt.iterations))
