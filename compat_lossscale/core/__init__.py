# SPDX-License-Identifier: Apache-2.0
"""The one shared core of all three generations: TensorFlow only, no Keras."""

from compat_lossscale.core.gradients import (
    all_finite,
    scale_loss,
    supports_strategy,
    unscale_gradients,
    unzip,
)
from compat_lossscale.core.loss_scale import (
    DynamicLossScale,
    FixedLossScale,
    LossScale,
    RuleSettings,
    moves_by_the_rule,
)
from compat_lossscale.core.native import as_written
from compat_lossscale.core.step import apply_or_skip

__all__ = [
    "DynamicLossScale",
    "FixedLossScale",
    "LossScale",
    "RuleSettings",
    "all_finite",
    "apply_or_skip",
    "as_written",
    "moves_by_the_rule",
    "scale_loss",
    "supports_strategy",
    "unscale_gradients",
    "unzip",
]
