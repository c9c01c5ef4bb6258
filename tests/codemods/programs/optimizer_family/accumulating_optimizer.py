# SPDX-License-Identifier: Apache-2.0
"""An optimizer sums up gradients for another one."""

import tensorflow as tf
from tensorflow.keras.optimizers import SGD, Adam, Optimizer
from typing import Dict, Type


class AccumOptimizer(Optimizer):
    def __init__(self, optimizer: Optimizer, steps=2, name="AccumOptimizer", **kwargs):
        super().__init__(name=name, **kwargs)
        self.base = optimizer
        self.steps = steps

    def _create_slots(self, var_list):
        self.base._create_slots(var_list)
        for var in var_list:
            self.add_slot(var, "accum")

    def _create_hypers(self):
        self.base._create_hypers()

    def _prepare(self, var_list):
        return self.base._prepare(var_list)

    def _resource_apply_dense(self, grad, var, apply_state=None):
        accum = self.get_slot(var, "accum")
        accum.assign_add(grad / self.steps)
        if int(self.iterations) % self.steps == self.steps - 1:
            self.base._resource_apply_dense(accum.read_value(), var, apply_state)
            accum.assign(tf.zeros_like(accum))
        return tf.no_op()

    def get_config(self):
        return super().get_config()


BASES: Dict[str, Type[Optimizer]] = {"sgd": SGD, "adam": Adam}
for name, cls in BASES.items():
    base = cls(0.1)
    optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(AccumOptimizer(base), 8)
    v = tf.Variable([2.0])
    for _ in range(4):
        optimizer.apply_gradients([(v * 1.0, v)])
    print(name, v.numpy().tolist(), optimizer._optimizer.get_slot_names(), optimizer.get_slot_names())
