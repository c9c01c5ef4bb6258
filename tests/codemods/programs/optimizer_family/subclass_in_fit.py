# SPDX-License-Identifier: Apache-2.0
"""An optimizer of the program's own under a policy."""

import numpy as np
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


tf.keras.mixed_precision.experimental.set_policy("mixed_float16")
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(1,)),
        tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32"),
    ]
)
model.compile(Halving(0.01), "mse")
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)
history = model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
print("losses", history.history["loss"])
print("weights", [weight.tolist() for weight in model.get_weights()])
