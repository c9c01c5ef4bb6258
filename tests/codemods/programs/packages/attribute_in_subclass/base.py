# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf


class Base:
    def __init__(self):
        self.opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)
