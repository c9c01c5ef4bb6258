# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf
from tensorflow.compat.v1.train.experimental import DynamicLossScale
from tensorflow.python.training.experimental import loss_scale_optimizer as v1


class OwnLossScale(DynamicLossScale):
    def __init__(self, initial_loss_scale, increment_period):
        super().__init__(initial_loss_scale=initial_loss_scale, increment_period=increment_period)
        self.bad = 0

    def update(self, grads):
        done, finite = super().update(grads)
        self.bad += 0 if finite else 1
        return done, finite


class Adapter(v1.MixedPrecisionLossScaleOptimizer):
    @property
    def loss_scale(self):
        return self._loss_scale


def wrap(opt, loss_scale):
    if opt.__class__.__name__ == "LossScaleOptimizer":
        raise ValueError("wrapped already")
    if isinstance(opt, tf.compat.v1.train.Optimizer):
        return Adapter(opt, loss_scale)
    from tensorflow.python.keras.mixed_precision.experimental import loss_scale_optimizer as keras

    return keras.LossScaleOptimizer(opt, loss_scale)
