# SPDX-License-Identifier: Apache-2.0
"""A dynamic loss scale with a rule of its own, for optimizers of TensorFlow 1."""

import tensorflow as tf
from tensorflow.compat.v1.train.experimental import DynamicLossScale


class WithCeiling(DynamicLossScale):
    def __init__(self, initial_loss_scale=64, increment_period=1, ceiling=256):
        super().__init__(initial_loss_scale=initial_loss_scale, increment_period=increment_period)
        self.ceiling = ceiling
        self._bad_steps = self._add_weight(name="bad_steps", initial_value=0, dtype=tf.int64)

    def update(self, grads):
        finite = all(bool(tf.reduce_all(tf.math.is_finite(g))) for g in grads if g is not None)
        if finite:
            self._current_loss_scale.assign(tf.minimum(self._current_loss_scale * 2, self.ceiling))
        else:
            self._bad_steps.assign_add(1)
            self._current_loss_scale.assign(self._current_loss_scale / 4)
        return None, finite

    def get_config(self):
        return {**super().get_config(), "ceiling": self.ceiling}


scale = WithCeiling()
opt = tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer(
    tf.compat.v1.train.GradientDescentOptimizer(0.25), scale
)
weight = tf.Variable(1.0)
for factor in (1.0, 2.0, 1.0, float("inf"), 1.0):
    opt.minimize(lambda: factor * weight * weight, var_list=[weight])
    print(weight.numpy(), scale().numpy(), scale._bad_steps.numpy())
print(scale.get_config(), scale.increment_period, isinstance(scale, DynamicLossScale))
again = WithCeiling.from_config({"initial_loss_scale": 32, "increment_period": 3, "ceiling": 512})
print(again().numpy(), again.ceiling)
