# SPDX-License-Identifier: Apache-2.0
"""An optimizer of the program's own in a file of its own."""

import tensorflow as tf
from halving import Halving

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(Halving(0.1), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])
