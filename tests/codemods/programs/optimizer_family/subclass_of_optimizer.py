# SPDX-License-Identifier: Apache-2.0
"""An optimizer of the program's own."""

import tensorflow as tf


class Halving(tf.keras.optimizers.Optimizer):
    def __init__(self, learning_rate=0.1, name="Halving", **kwargs):
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))

    def _create_slots(self, var_list):
        for var in var_list:
            self.add_slot(var, "m")

    def _resource_apply_dense(self, grad, var, apply_state=None):
        m = self.get_slot(var, "m")
        m.assign(m * 0.5 + grad)
        rate = self._get_hyper("learning_rate", var.dtype.base_dtype)
        return var.assign_sub(rate * m)

    def get_config(self):
        rate = self._serialize_hyperparameter("learning_rate")
        return {**super().get_config(), "learning_rate": rate}


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
