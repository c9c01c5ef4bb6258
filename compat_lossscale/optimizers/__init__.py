# SPDX-License-Identifier: Apache-2.0
"""The front ends: each adapts one optimizer base class to the shared core."""

from compat_lossscale.optimizers import (
    families,
    keras,
    keras_legacy,
    loss_scale_config,
    registry,
    saving,
    stock,
)
from compat_lossscale.optimizers.base import LossScaleOptimizer
from compat_lossscale.optimizers.experimental import LossScaleOptimizer as _Experimental
from compat_lossscale.optimizers.v1 import (
    MixedPrecisionLossScaleOptimizer,
    disable_mixed_precision_graph_rewrite,
    enable_mixed_precision_graph_rewrite,
)

ExperimentalLossScaleOptimizer = _Experimental

__all__ = [
    "ExperimentalLossScaleOptimizer",
    "LossScaleOptimizer",
    "MixedPrecisionLossScaleOptimizer",
    "disable_mixed_precision_graph_rewrite",
    "enable_mixed_precision_graph_rewrite",
    "families",
    "keras",
    "keras_legacy",
    "loss_scale_config",
    "registry",
    "saving",
    "stock",
    "teach_keras",
    "unteach_keras",
]


def teach_keras() -> None:
    """Tells Keras what it needs to know of these classes in order to save and load them."""
    registry.register()
    saving.enable()


def unteach_keras() -> None:
    """Takes that back."""
    registry.unregister()
    saving.disable()


teach_keras()
