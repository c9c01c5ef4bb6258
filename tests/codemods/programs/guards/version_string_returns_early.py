# SPDX-License-Identifier: Apache-2.0
"""Returns early if the version, as a string, is not below another."""

import tensorflow as tf


def wrapped(optimizer):
    if tf.__version__ >= "2.4.0":
        return tf.keras.mixed_precision.LossScaleOptimizer(optimizer, dynamic=False, initial_scale=512)
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(optimizer, 256)


print(float(wrapped(tf.keras.optimizers.SGD(0.5)).get_scaled_loss(tf.constant(1.0))))
