# SPDX-License-Identifier: Apache-2.0
"""An argument that one family has, or both: SGD(0.1, clipvalue=0.5)."""

import tensorflow as tf

opt = tf.keras.optimizers.SGD(0.1, clipvalue=0.5)
opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, loss_scale="dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])
