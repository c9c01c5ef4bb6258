# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf


def wrap(scale):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.25), scale
    )
