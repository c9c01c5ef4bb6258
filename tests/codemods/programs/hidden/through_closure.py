# SPDX-License-Identifier: Apache-2.0
"""A nested function reads the optimizer."""

import tensorflow as tf


def make():
    opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 64)

    def scale():
        return opt.loss_scale().numpy()

    return opt, scale


opt, scale = make()
print(scale())
