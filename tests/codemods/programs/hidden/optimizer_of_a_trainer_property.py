# SPDX-License-Identifier: Apache-2.0
"""An optimizer is made lazily behind a property, and wrapped there."""

import functools

import tensorflow as tf
from tensorflow.keras.mixed_precision import experimental as prec


class Trainer:
    def __init__(self, name, **options):
        self.name, self.options = name, options

    @functools.lru_cache(maxsize=None)
    def _make(self):
        made = {"adam": tf.keras.optimizers.Adam, "sgd": tf.keras.optimizers.SGD}[self.name]
        return prec.LossScaleOptimizer(made(**self.options), loss_scale="dynamic")

    optimizer = property(_make)


trainer = Trainer("adam", learning_rate=0.5, decay=0.5)
var = tf.Variable(1.0)
for gradient in (1.0, float("inf"), 2.0):
    trainer.optimizer.apply_gradients([(tf.constant(gradient), var)])
    print(var.numpy(), float(trainer.optimizer.loss_scale()))
