# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf


def wrap(opt, flags):
    return tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, flags["loss_scale"])
