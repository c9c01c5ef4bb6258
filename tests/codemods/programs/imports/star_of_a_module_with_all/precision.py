# SPDX-License-Identifier: Apache-2.0

from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer, global_policy, set_policy
from tensorflow.train.experimental import DynamicLossScale

__all__ = ["DynamicLossScale", "LossScaleOptimizer", "global_policy", "setup"]


def setup():
    set_policy("float32")
