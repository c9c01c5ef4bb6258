# SPDX-License-Identifier: Apache-2.0
"""The inner optimizer is made from a configuration."""

import tensorflow as tf

config = {"class_name": "Adam", "config": {"learning_rate": 0.1}}
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.deserialize(config), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])
