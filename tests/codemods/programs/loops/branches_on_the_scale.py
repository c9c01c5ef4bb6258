# SPDX-License-Identifier: Apache-2.0
"""A traced function branches and loops on the loss scale."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(8, 1)
)
weight = tf.Variable(1.0)


@tf.function
def step(gradient):
    if opt.loss_scale() > 8.0:
        gradient *= 2.0
    while opt.loss_scale() < 4.0:
        gradient += 1.0
        break
    opt.apply_gradients([(gradient / opt.loss_scale() * opt.loss_scale(), weight)])
    return opt.loss_scale()


for gradient in [1.0, 1.0, float("inf"), float("inf"), 1.0]:
    print(step(tf.constant(gradient)).numpy(), weight.numpy())
