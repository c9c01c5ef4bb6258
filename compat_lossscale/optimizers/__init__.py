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
    teaching,
)
from compat_lossscale.optimizers.base import LossScaleOptimizer
from compat_lossscale.optimizers.experimental import (
    LossScaleOptimizer as ExperimentalLossScaleOptimizer,
)
from compat_lossscale.optimizers.v1 import (
    MixedPrecisionLossScaleOptimizer,
    disable_mixed_precision_graph_rewrite,
    enable_mixed_precision_graph_rewrite,
)

__all__ = [
    "ExperimentalLossScaleOptimizer",
    "LossScaleOptimizer",
    "MixedPrecisionLossScaleOptimizer",
    "disable_mixed_precision_graph_rewrite",
    "enable_mixed_precision_graph_rewrite",
    "families",
    "keras",
    "keras_is_taught",
    "keras_legacy",
    "loss_scale_config",
    "registry",
    "saving",
    "stock",
    "teach_keras",
    "teaching",
    "unteach_keras",
]


def teach_keras() -> None:
    """Tells Keras what it needs to know of these classes in order to save and load them."""
    registry.register()
    teaching.teach(saving.LESSONS)


def unteach_keras() -> None:
    """Takes that back."""
    registry.unregister()
    teaching.unteach(saving.LESSONS)


def keras_is_taught() -> bool:
    """Whether Keras knows these classes at present."""
    return teaching.is_taught(saving.LESSONS)


teach_keras()
