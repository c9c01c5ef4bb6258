# SPDX-License-Identifier: Apache-2.0
"""Asks for the class of a plain optimizer, in a program that wraps others."""

import tensorflow as tf


def name(opt):
    if isinstance(opt, tf.keras.mixed_precision.experimental.LossScaleOptimizer):
        opt = opt._optimizer
    if isinstance(opt, tf.keras.optimizers.Adam):
        return "adam"
    return "other"


print(name(tf.keras.optimizers.Adam()), name(tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.Adam(), 8)), name(tf.keras.optimizers.SGD(0.25)))
