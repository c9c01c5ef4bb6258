# SPDX-License-Identifier: Apache-2.0
"""The loss scale is read in whichever way does not raise."""

import tensorflow as tf

opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), 32)


def scale_of(opt):
    try:
        return float(opt.loss_scale())
    except TypeError:
        return float(opt.loss_scale)


print(scale_of(opt))
print(float(opt.loss_scale() if callable(opt.loss_scale) else opt.loss_scale))
