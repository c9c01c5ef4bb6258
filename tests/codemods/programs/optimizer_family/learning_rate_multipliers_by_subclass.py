# SPDX-License-Identifier: Apache-2.0
"""A subclass that reads hypers and slots as optimizers of that time did, under the wrapper."""

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mixed


class Scaled(tf.keras.optimizers.SGD):
    def __init__(self, factor=1.0, name="Scaled", **kwargs):
        super().__init__(name=name, **kwargs)
        self._set_hyper("factor", factor)

    def _resource_apply_dense(self, grad, var, apply_state=None):
        return super()._resource_apply_dense(grad * self._get_hyper("factor", var.dtype), var, apply_state)

    def get_config(self):
        return {**super().get_config(), "factor": self._serialize_hyperparameter("factor")}


opt = mixed.LossScaleOptimizer(Scaled(0.5, learning_rate=0.1, momentum=0.9), loss_scale="dynamic")
weight = tf.Variable([1.0, -1.0])
for _ in range(3):
    opt.apply_gradients([(weight * 2, weight)])
print(weight.numpy().tolist(), sorted(opt._optimizer.get_config()), opt._optimizer.factor.numpy())
