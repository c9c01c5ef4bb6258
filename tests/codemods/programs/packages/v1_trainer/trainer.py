# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf
from tensorflow.compat.v1.train.experimental import DynamicLossScale
from tensorflow.python.keras.mixed_precision.experimental.loss_scale_optimizer import LossScaleOptimizer
from tensorflow.python.training.experimental.loss_scale_optimizer import MixedPrecisionLossScaleOptimizer
from scaling import OwnLossScale, wrap


class Trainer:
    def __init__(self, kind):
        self._optimizer = None
        self.kind = kind
        self.weight = tf.Variable(1.0)
        self.scale = None

    def build(self):
        optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.25)
        if self.kind == "own":
            loss_scale = OwnLossScale(64, 1)
        else:
            loss_scale = DynamicLossScale(initial_loss_scale=64, increment_period=1)
        self.scale = loss_scale().numpy()
        return wrap(optimizer, loss_scale=loss_scale)

    def step(self, factor):
        if self._optimizer is None:
            self._optimizer = self.build()
        self._optimizer.minimize(lambda: factor * self.weight, var_list=[self.weight])
        found = [self.weight.numpy(), self.scale]
        if isinstance(self._optimizer, (LossScaleOptimizer, MixedPrecisionLossScaleOptimizer)):
            if hasattr(self._optimizer.loss_scale, "bad"):
                self._optimizer.loss_scale.bad += 0
                found.append(self._optimizer.loss_scale.bad)
            found.append(self._optimizer.loss_scale().numpy())
        return found
