# SPDX-License-Identifier: Apache-2.0
"""What a loss scale is: the spec that all generations spell, and the rule that moves it."""

from compat_lossscale.spec.loss_scale_spec import (
    DEFAULT_GROWTH_STEPS,
    DEFAULT_INITIAL_SCALE,
    DEFAULT_MULTIPLIER,
    Generation,
    LossScaleSpec,
)
from compat_lossscale.spec.update_rule import Operations, next_state

__all__ = [
    "DEFAULT_GROWTH_STEPS",
    "DEFAULT_INITIAL_SCALE",
    "DEFAULT_MULTIPLIER",
    "Generation",
    "LossScaleSpec",
    "Operations",
    "next_state",
]
