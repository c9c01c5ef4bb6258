# SPDX-License-Identifier: Apache-2.0
"""The value of a loss scale, which each generation spells differently, and its update rule."""

from compat_lossscale.spec.configs import Generation, inner_in, others_in
from compat_lossscale.spec.loss_scale_rule import (
    LossScaleRule,
    LossScaleState,
    all_finite,
    check_fixed_value,
    check_rule,
)
from compat_lossscale.spec.loss_scale_spec import LossScaleSpec
from compat_lossscale.spec.update_rule import (
    DEFAULT_GROWTH_STEPS,
    DEFAULT_INITIAL_SCALE,
    DEFAULT_MULTIPLIER,
    Operations,
    RuleNumbers,
    ScaleState,
    next_state,
)

__all__ = [
    "DEFAULT_GROWTH_STEPS",
    "DEFAULT_INITIAL_SCALE",
    "DEFAULT_MULTIPLIER",
    "Generation",
    "LossScaleRule",
    "LossScaleSpec",
    "LossScaleState",
    "Operations",
    "RuleNumbers",
    "ScaleState",
    "all_finite",
    "check_fixed_value",
    "check_rule",
    "inner_in",
    "next_state",
    "others_in",
]
