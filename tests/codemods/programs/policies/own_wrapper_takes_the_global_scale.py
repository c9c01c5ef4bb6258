# SPDX-License-Identifier: Apache-2.0
"""A loop takes the loss scale object of the global policy."""

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mixed_precision

policy = mixed_precision.Policy("mixed_float16", loss_scale=tf.mixed_precision.experimental.DynamicLossScale(1024, 2))
mixed_precision.set_policy(policy)
optimizer = mixed_precision.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.1), mixed_precision.global_policy().loss_scale)
dense = tf.keras.layers.Dense(1, kernel_initializer="ones", dtype=policy)
x = tf.ones((2, 3))
for _ in range(4):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.cast(dense(x), tf.float32) ** 2)
        scaled = optimizer.get_scaled_loss(loss)
    grads = optimizer.get_unscaled_gradients(tape.gradient(scaled, dense.trainable_variables))
    optimizer.apply_gradients(zip(grads, dense.trainable_variables))
    print("%.5f" % float(loss), float(optimizer.loss_scale()))
mixed_precision.set_policy("float32")
