# SPDX-License-Identifier: Apache-2.0
"""Mixed precision for the rest of the package."""
from tensorflow.keras.mixed_precision import experimental as _mp
from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer, Policy, set_policy

__all__ = ["LossScaleOptimizer", "Policy", "set_policy", "is_mixed"]


def is_mixed():
    return _mp.global_policy().compute_dtype == "float16"
