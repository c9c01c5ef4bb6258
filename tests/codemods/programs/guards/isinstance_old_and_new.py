# SPDX-License-Identifier: Apache-2.0
"""Tells the old class from the new one."""

import tensorflow as tf

mp = tf.keras.mixed_precision


def scale_of(opt):
    if isinstance(opt, mp.experimental.LossScaleOptimizer):
        return float(opt.loss_scale())
    elif isinstance(opt, mp.LossScaleOptimizer):
        return float(opt.loss_scale)
    return 1.0


print(scale_of(mp.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 32)))
print(scale_of(tf.keras.optimizers.SGD(0.25)))
