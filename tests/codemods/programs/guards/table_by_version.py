# SPDX-License-Identifier: Apache-2.0
"""A table holds what to call for each version."""

import tensorflow as tf
from packaging.version import Version

WRAPPERS = {
    True: lambda opt: tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 64),
    False: lambda opt: tf.keras.mixed_precision.LossScaleOptimizer(
        opt, dynamic=False, initial_scale=64
    ),
}
opt = WRAPPERS[Version(tf.__version__) < Version("2.4.0")](tf.keras.optimizers.SGD(0.25))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())
