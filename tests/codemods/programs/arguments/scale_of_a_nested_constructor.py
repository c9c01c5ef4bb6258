# SPDX-License-Identifier: Apache-2.0
"""A constructor nested in the argument of another one."""

import tensorflow as tf

mp = tf.keras.mixed_precision.experimental


def wrap(opt, scale=None):
    return mp.LossScaleOptimizer(opt, scale or "dynamic")


optimizer = wrap(
    tf.keras.optimizers.SGD(
        learning_rate=tf.keras.optimizers.schedules.ExponentialDecay(
            0.5, decay_steps=1, decay_rate=0.5), momentum=0.0),
    scale=float(mp.LossScaleOptimizer(tf.keras.optimizers.SGD(), 4).loss_scale()))
v = tf.Variable([1.0])
for _ in range(3):
    optimizer.apply_gradients([(tf.constant([1.0]), v)])
print(v.numpy().tolist(), float(optimizer.loss_scale()))
