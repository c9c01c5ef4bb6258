# SPDX-License-Identifier: Apache-2.0
"""The front ends: each adapts one optimizer base class to the shared core."""

import tf_keras

from compat_lossscale import tf1
from compat_lossscale._patching import FunctionPatches
from compat_lossscale.optimizers import base, families, keras, keras_legacy, saving, stock
from compat_lossscale.optimizers.base import LossScaleOptimizer
from compat_lossscale.optimizers.experimental import (
    LossScaleOptimizer as ExperimentalLossScaleOptimizer,
)

__all__ = [
    "ExperimentalLossScaleOptimizer",
    "LossScaleOptimizer",
    "base",
    "families",
    "keras",
    "keras_legacy",
    "keras_patches",
    "saving",
    "stock",
]

tf1.KERASES.append(
    tf1.RewritableKeras(
        (stock.OptimizerV2, stock.Optimizer),
        (LossScaleOptimizer, stock.BaseLossScaleOptimizer),
        ExperimentalLossScaleOptimizer,
        base.configs,
        tf_keras.mixed_precision.global_policy,
    )
)

keras_patches = FunctionPatches()
"""The patches of Keras' savers and loaders for these classes, and the classes in its registry."""
keras_patches.add(saving.PATCHES)
