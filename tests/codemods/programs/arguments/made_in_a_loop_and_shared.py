# SPDX-License-Identifier: Apache-2.0
"""Loss scales of their own, and a shared one, in a loop."""

import tensorflow as tf
from tensorflow.keras import mixed_precision, optimizers

experimental = mixed_precision.experimental
own, shared = [], []
one = tf.mixed_precision.experimental.DynamicLossScale(2.0 ** 4, 1)
for rate in (0.1, 0.2):
    own.append(
        experimental.LossScaleOptimizer(
            optimizers.SGD(rate),
            loss_scale=tf.mixed_precision.experimental.DynamicLossScale(2.0 ** 4, 1),
        )
    )
    shared.append(experimental.LossScaleOptimizer(optimizers.SGD(rate), loss_scale=one))
v = tf.Variable([1.0])
for group in (own, shared):
    for optimizer in group:
        optimizer.apply_gradients([(tf.constant([1.0]), v)])
    print([float(optimizer.get_scaled_loss(tf.constant(1.0))) for optimizer in group])
