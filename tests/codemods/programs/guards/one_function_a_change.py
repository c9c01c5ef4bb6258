# SPDX-License-Identifier: Apache-2.0
"""One function for each thing that changed, each with a fallback."""

import tensorflow as tf


def set_policy(name):
    try:
        tf.keras.mixed_precision.set_global_policy(name)
    except AttributeError:
        tf.keras.mixed_precision.experimental.set_policy(name)


def wrap(optimizer):
    if hasattr(tf.keras.mixed_precision, "LossScaleOptimizer"):
        return tf.keras.mixed_precision.LossScaleOptimizer(optimizer)
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(optimizer, "dynamic")


def current_scale(optimizer):
    scale = optimizer.loss_scale
    return float(scale() if callable(scale) else scale)


set_policy("mixed_float16")
optimizer = wrap(tf.keras.optimizers.Adam(1e-3, decay=1e-2))
print(current_scale(optimizer), float(optimizer.decay))
v = tf.Variable([1.0, 2.0])
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = optimizer.get_scaled_loss(tf.reduce_sum(v * v))
    grads = optimizer.get_unscaled_gradients(tape.gradient(loss, [v]))
    optimizer.apply_gradients(zip(grads, [v]))
print(v.numpy().tolist())
