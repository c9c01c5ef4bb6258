# SPDX-License-Identifier: Apache-2.0
"""One code path for both precisions, with the scale of 1 where nothing is wrapped."""

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as mixed_precision


class Learner:
    def __init__(self, half):
        self._half = half
        self._opt = tf.keras.optimizers.SGD(0.25, momentum=0.5)
        if half:
            self._opt = mixed_precision.LossScaleOptimizer(self._opt, loss_scale=256.0)

    @property
    def scale(self):
        return self._opt.loss_scale() if self._half else tf.constant(1.0)

    def learn(self, var, gradient):
        grads = [gradient * self.scale]
        if self._half:
            grads = self._opt.get_unscaled_gradients(grads)
        self._opt.apply_gradients(zip(grads, [var]))
        return self._opt.learning_rate * 1.0


for half in (True, False):
    var = tf.Variable(1.0)
    learner = Learner(half)
    for gradient in (1.0, 2.0):
        print(half, float(learner.learn(var, gradient)), var.numpy(), float(learner.scale))
