# SPDX-License-Identifier: Apache-2.0
"""What a logged run began with and by which rule its loss scale moved: what a report needs."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from compat_lossscale.spec import LossScaleRule


@dataclasses.dataclass(frozen=True)
class RunSetting:
    """What is known of a run beside the logged values.

    Attributes:
        is_dynamic: Whether the loss scale can change; `None` if that is not known.
        floor: The lowest value of the loss scale.
        cap: The highest value.
        cap_is_stated: Whether a rule states the cap. Otherwise it is the largest value at which
            the loss scale is finite.
        growth_steps: Good steps in a row after which the loss scale grows, if known.
        counts_applied_steps: Whether the optimizer does not count skipped steps in `iterations`.
        start: The state before the first step, in the form of the logged values; empty if the
            optimizer was new.
    """

    is_dynamic: bool | None = None
    floor: float = 1.0
    cap: float = 2.0**127
    cap_is_stated: bool = False
    growth_steps: int | None = None
    counts_applied_steps: bool = False
    start: dict[str, float] = dataclasses.field(default_factory=dict)

    @classmethod
    def of(cls, watched: Any, start: dict[str, float] | None) -> RunSetting:
        """The setting of an optimizer that is watched.

        Args:
            watched: A `WatchedOptimizer`.
            start: See `RunSetting`.
        """
        cap = watched.stated_cap
        return cls(
            watched.is_dynamic,
            watched.floor if watched.has_floor else 0.0,
            cls.cap if cap is None else cap,
            cap is not None,
            watched.growth_steps,
            watched.counts_applied_steps,
            dict(start or {}),
        )

    @classmethod
    def of_rule(cls, rule: LossScaleRule) -> RunSetting:
        """The setting of an optimizer of which the rule is known."""
        cap = rule.max_scale
        known = cap is not None and math.isfinite(cap)
        return cls(
            True,
            rule.min_scale,
            float(cap) if known and cap is not None else cls.cap,
            known,
            rule.growth_steps,
        )
