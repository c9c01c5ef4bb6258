# SPDX-License-Identifier: Apache-2.0
"""The classes stand in annotations."""

from typing import Optional

import tensorflow as tf
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer, Policy


def step(opt: LossScaleOptimizer, policy: Optional[Policy] = None) -> "LossScaleOptimizer":
    print(opt.get_scaled_loss(tf.constant(2.0)).numpy(), policy is None)
    return opt


step(LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), 8))
