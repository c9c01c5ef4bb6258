# SPDX-License-Identifier: Apache-2.0
"""The class is chosen by a conditional expression."""

import tensorflow as tf
from packaging.version import Version

mp = tf.keras.mixed_precision
old = Version(tf.__version__) < Version("2.4.0")
opt = mp.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 8) if old else mp.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), dynamic=False, initial_scale=8)

weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())
