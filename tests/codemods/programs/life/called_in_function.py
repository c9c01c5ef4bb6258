# SPDX-License-Identifier: Apache-2.0
"""The scale is read by a call in a traced function."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(64, 2))
weight = tf.Variable(1.0)


@tf.function
def step(gradient):
    opt.apply_gradients([(gradient, weight)])
    return opt.loss_scale()


for gradient in [1.0, 1.0, float("nan"), 1.0]:
    print(step(tf.constant(gradient)).numpy(), weight.numpy())
