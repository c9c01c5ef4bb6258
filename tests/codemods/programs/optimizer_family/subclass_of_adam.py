# SPDX-License-Identifier: Apache-2.0
"""A subclass of Adam that overrides what every dense step does."""

import tensorflow as tf


class DecayedAdam(tf.keras.optimizers.Adam):
    def _resource_apply_dense(self, grad, var, apply_state=None):
        var.assign_sub(0.01 * var)
        return super()._resource_apply_dense(grad, var, apply_state)


opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(DecayedAdam(0.1), "dynamic")
weights = [tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[0.1, 0.7], [0.3, -0.9]])]
for step in range(1, 12):
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.sin(step * weight) * weight) for weight in weights)
        scaled_loss = opt.get_scaled_loss(loss)
    gradients = opt.get_unscaled_gradients(tape.gradient(scaled_loss, weights))
    opt.apply_gradients(zip(gradients, weights))
    print(step, float(loss))
print([weight.numpy().tolist() for weight in weights])
