# SPDX-License-Identifier: Apache-2.0
"""Tests for the old class, the new one and any optimizer."""

import tensorflow as tf
from tensorflow.keras import mixed_precision as mp


def describe(optimizer):
    if isinstance(optimizer, mp.experimental.LossScaleOptimizer):
        return "old %.1f" % float(optimizer.loss_scale())
    elif isinstance(optimizer, mp.LossScaleOptimizer):
        return "new %.1f" % float(optimizer.loss_scale)
    elif isinstance(optimizer, tf.keras.optimizers.Optimizer):
        return "plain"
    return "none"


print(describe(mp.experimental.LossScaleOptimizer(tf.keras.optimizers.SGD(), 8)))
print(describe(tf.keras.optimizers.SGD()), describe(None))
