# SPDX-License-Identifier: Apache-2.0

import settings
import tensorflow as tf


def make(opt):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, settings.LOSS_SCALE)
