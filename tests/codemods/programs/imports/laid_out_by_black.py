# SPDX-License-Identifier: Apache-2.0
"""A file that Black has laid out."""

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import (
    LossScaleOptimizer,
    Policy,
    global_policy,
    set_policy,
)


def make_the_optimizer_of_the_model(learning_rate, momentum, clipnorm, nesterov=False):
    """Returns the optimizer."""
    return LossScaleOptimizer(
        tf.keras.optimizers.SGD(
            learning_rate, momentum, nesterov=nesterov, clipnorm=clipnorm
        ),
        loss_scale=tf.mixed_precision.experimental.DynamicLossScale(
            initial_loss_scale=2 ** 15, increment_period=2000
        ),
    )


set_policy(
    Policy("mixed_float16", loss_scale="dynamic")
)  # The global one, for all the layers.
optimizer = make_the_optimizer_of_the_model(0.1, 0.9, clipnorm=1.0)
print(global_policy().name, float(optimizer.loss_scale()), optimizer._optimizer.clipnorm)
short = LossScaleOptimizer(
    tf.keras.optimizers.Adam(0.1), loss_scale="dynamic"
)
print(type(short).__name__)
