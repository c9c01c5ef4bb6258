# SPDX-License-Identifier: Apache-2.0
"""The classes are members of an enumeration."""

import enum

import tensorflow as tf


class Kind(enum.Enum):
    SGD = enum.member(tf.keras.optimizers.SGD)
    ADAM = enum.member(tf.keras.optimizers.Adam)

    def make(self, **options):
        return self.value(**options)


for kind in Kind:
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        kind.make(learning_rate=0.25, decay=0.5), "dynamic"
    )
    weight = tf.Variable(1.0)
    for gradient in [1.0, 2.0]:
        opt.apply_gradients([(tf.constant(gradient), weight)])
        print(kind.name, weight.numpy())
    print(len(opt.get_weights()))
