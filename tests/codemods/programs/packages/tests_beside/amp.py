# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf


def wrap(opt):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, "dynamic")
