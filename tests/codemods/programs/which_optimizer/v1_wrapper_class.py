# SPDX-License-Identifier: Apache-2.0
"""The wrapper of TensorFlow 1 around its own optimizers."""

import tensorflow as tf

opt = tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.compat.v1.train.MomentumOptimizer(0.25, 0.5), "dynamic"
)
weight = tf.Variable(1.0)
for factor in (1.0, 2.0, float("inf"), 1.0):
    opt.minimize(lambda: factor * weight * weight, var_list=[weight])
    print(weight.numpy())
