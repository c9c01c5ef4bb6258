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
    "keras_is_patched",
    "keras_legacy",
    "patch_keras",
    "patches",
    "saving",
    "stock",
    "unpatch_keras",
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


patches = FunctionPatches()
"""The patches of Keras' savers and loaders."""


def patch_keras() -> None:
    """Patches Keras' savers and loaders for these classes, and registers the classes there."""
    saving.register()
    patches.replace(saving.PATCHES)


def unpatch_keras() -> None:
    """Takes that back."""
    saving.unregister()
    patches.replace(())


def keras_is_patched() -> bool:
    """Whether Keras is patched at present."""
    return bool(patches.applied)


patch_keras()
