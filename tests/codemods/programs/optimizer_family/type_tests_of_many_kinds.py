# SPDX-License-Identifier: Apache-2.0
"""Classes are asked for in tuples, in match, in issubclass and as keys."""

import tensorflow as tf

NAMES = {tf.keras.optimizers.SGD: "sgd", tf.keras.optimizers.Adam: "adam"}


def kind(opt):
    match opt:
        case tf.keras.optimizers.SGD() | tf.keras.optimizers.Adam():
            return NAMES[type(opt)]
    return "none"


opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(0.25), 8)
inner = opt._optimizer
print(kind(inner), isinstance(inner, (tf.keras.optimizers.SGD, tf.keras.optimizers.Adam)))
print(issubclass(type(opt), tf.keras.optimizers.Optimizer), type(inner) in NAMES)
