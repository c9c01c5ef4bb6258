# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf


def wrap(optimizer, loss_scale):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(optimizer, loss_scale)
