# SPDX-License-Identifier: Apache-2.0

import tensorflow as tf
from amp import wrap


def test_wrap():
    assert isinstance(wrap(tf.keras.optimizers.SGD(0.25)), tf.keras.mixed_precision.experimental.LossScaleOptimizer)
