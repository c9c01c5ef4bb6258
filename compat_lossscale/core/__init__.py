# SPDX-License-Identifier: Apache-2.0
"""The one shared core of all three generations: TensorFlow only, no Keras."""

from compat_lossscale.core.dynamic_loss_scale import DynamicLossScale, moves_by_the_rule
from compat_lossscale.core.gradients import (
    all_finite,
    unscale_gradients,
    unzip,
    values_of,
)
from compat_lossscale.core.loss_scale import FixedLossScale, LossScale, fixed_value
from compat_lossscale.core.reference import scale_loss
from compat_lossscale.core.rule_settings import RuleSettings
from compat_lossscale.core.step import OnGradients, apply_or_skip
from compat_lossscale.core.tracing import OneCall, as_written, traced_function

__all__ = [
    "DynamicLossScale",
    "FixedLossScale",
    "LossScale",
    "OnGradients",
    "OneCall",
    "RuleSettings",
    "all_finite",
    "apply_or_skip",
    "as_written",
    "fixed_value",
    "moves_by_the_rule",
    "scale_loss",
    "traced_function",
    "unscale_gradients",
    "unzip",
    "values_of",
]
