# SPDX-License-Identifier: Apache-2.0
"""Returns early by a LooseVersion."""

import tensorflow as tf
from distutils.version import LooseVersion  # noqa


def make(optimizer, scale):
    if LooseVersion(tf.__version__) >= LooseVersion("2.4.0"):
        mp = tf.keras.mixed_precision
        if scale == "dynamic":
            return mp.LossScaleOptimizer(optimizer)
        return mp.LossScaleOptimizer(optimizer, dynamic=False, initial_scale=scale)
    mp = tf.keras.mixed_precision.experimental
    return mp.LossScaleOptimizer(optimizer, loss_scale=scale)


for scale in ("dynamic", 16):
    print(float(make(tf.keras.optimizers.SGD(0.1), scale).get_scaled_loss(tf.constant(1.0))))
