# SPDX-License-Identifier: Apache-2.0
"""A subclass of Adam that no wrapper ever sees."""

import tensorflow as tf


class Named(tf.keras.optimizers.Adam):
    def describe(self):
        return "adam"


opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 8)
print(Named(0.1).describe(), opt.loss_scale().numpy())
