# SPDX-License-Identifier: Apache-2.0
"""The loss scale is made before the optimizer."""

import tensorflow as tf


def log(what, value):
    print("make", what)
    return value


opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    loss_scale=tf.train.experimental.DynamicLossScale(
        multiplier=2, increment_period=log("period", 3), initial_loss_scale=log("scale", 32.0)
    ),
    optimizer=log("optimizer", tf.keras.optimizers.SGD(0.1)),
)
print(float(opt.get_scaled_loss(tf.constant(1.0))))
