# SPDX-License-Identifier: Apache-2.0

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
