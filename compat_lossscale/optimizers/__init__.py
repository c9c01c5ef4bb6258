# SPDX-License-Identifier: Apache-2.0
"""The front ends: each adapts one optimizer base class to the shared core."""

import tf_keras

from compat_lossscale import tf1
from compat_lossscale._patching import FunctionPatches
from compat_lossscale.optimizers import base, experimental, keras, keras_legacy, saving, stock
from compat_lossscale.optimizers.base import LossScaleOptimizer

__all__ = [
    "PATCHES",
    "ExperimentalLossScaleOptimizer",
    "LossScaleOptimizer",
    "base",
    "keras",
    "keras_legacy",
    "keras_patches",
    "saving",
    "stock",
]

ExperimentalLossScaleOptimizer = experimental.LossScaleOptimizer

tf1.KERASES.append(
    tf1.RewritableKeras(
        (stock.OptimizerV2, stock.Optimizer),
        (LossScaleOptimizer, stock.BaseLossScaleOptimizer),
        ExperimentalLossScaleOptimizer,
        base.configs,
        tf_keras.mixed_precision.global_policy,
    )
)

PATCHES = (*experimental.REGISTERED, *saving.PATCHES)
"""The classes in Keras' registry, and the patches of its savers and loaders for these classes."""
keras_patches = FunctionPatches()
keras_patches.add(PATCHES)
