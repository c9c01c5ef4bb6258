# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf


def scale(opt):
    if isinstance(opt, tf.keras.mixed_precision.experimental.LossScaleOptimizer):
        return float(opt.loss_scale())
    return 1.0
