# SPDX-License-Identifier: Apache-2.0
"""The new import is tried first."""

import tensorflow as tf

try:
    from tensorflow.keras.mixed_precision import LossScaleOptimizer, set_global_policy
except ImportError:
    from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer
    from tensorflow.keras.mixed_precision.experimental import set_policy as set_global_policy

set_global_policy("mixed_float16")
opt = LossScaleOptimizer(tf.keras.optimizers.SGD(0.25))
weight = tf.Variable(1.0)
for factor in [1.0, 2.0, float("inf"), 1.0]:
    with tf.GradientTape() as tape:
        loss = factor * weight * weight
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = tape.gradient(scaled_loss, [weight])
    gradients = opt.get_unscaled_gradients(gradients)
    opt.apply_gradients(zip(gradients, [weight]))
    print(scaled_loss.numpy(), weight.numpy())
