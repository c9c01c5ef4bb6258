# SPDX-License-Identifier: Apache-2.0
"""A closure keeps the loss scale that it has seen last in a variable outside."""

import tensorflow as tf


def make():
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.25), tf.train.experimental.DynamicLossScale(32, 1)
    )
    seen, weight = None, tf.Variable(1.0)

    def step(gradient):
        nonlocal seen
        opt.apply_gradients([(tf.constant(gradient), weight)])
        seen, before = opt.loss_scale().numpy(), seen
        return before, seen, weight.numpy()

    return step


step = make()
for gradient in [1.0, float("nan"), 0.5, float("inf")]:
    print(step(gradient))
