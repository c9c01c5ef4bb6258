# SPDX-License-Identifier: Apache-2.0
"""A class of the program's own has such a private name."""

import tensorflow as tf


class Trainer:
    def __init__(self):
        self._optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)


trainer = Trainer()
print(float(trainer._optimizer.loss_scale()), type(trainer._optimizer._optimizer).__name__)
