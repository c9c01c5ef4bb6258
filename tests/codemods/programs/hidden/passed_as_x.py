# SPDX-License-Identifier: Apache-2.0
"""A function's parameter, `x`, holds the optimizer."""

import tensorflow as tf


def scale_of(x):
    return x.loss_scale().numpy()


print(scale_of(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)))
