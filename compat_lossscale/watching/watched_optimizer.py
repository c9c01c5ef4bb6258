# SPDX-License-Identifier: Apache-2.0
"""The loss scale and the skipped steps of one optimizer, between two observations."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from compat_lossscale.spec import RuleNumbers, ScaleState, next_state
from compat_lossscale.spec.update_rule import PYTHON
from compat_lossscale.watching.reading import (
    hysteresis_left_of,
    is_of_keras_3,
    loss_scale_of,
    skipped_steps_of,
)

FLOOR = 1.0
"""The lowest value of a dynamic loss scale."""
_DEFAULT_MULTIPLIER = 2.0
"""The multiplier of optimizers that do not state one."""


class WatchedOptimizer:
    """An optimizer's loss scale, and its value at the last observation.

    Args:
        optimizer: An optimizer with a loss scale, of this package, of tf-keras or of Keras 3.
        read: Reads its state.
        counts_itself: Whether to count skipped steps, if the optimizer does not. Needs an
            observation after every step.
    """

    def __init__(
        self,
        optimizer: Any,
        read: Callable[[], dict[str, float]],
        *,
        counts_itself: bool,
    ) -> None:
        self.optimizer = optimizer
        self.counts_applied_steps = is_of_keras_3(optimizer) and not getattr(
            optimizer, "_counts_skipped_too", False
        )
        self.has_floor = not is_of_keras_3(optimizer) or hasattr(optimizer, "get_scaled_loss")
        loss_scale = loss_scale_of(optimizer)
        self.growth_steps: Any = getattr(optimizer, "dynamic_growth_steps", None) or getattr(
            loss_scale, "increment_period", None
        )
        self.multiplier = getattr(loss_scale, "multiplier", _DEFAULT_MULTIPLIER)
        self.is_dynamic = self.growth_steps is not None
        self.seen: dict[str, float] | None = None
        self._read = read
        counts = counts_itself and self.is_dynamic and skipped_steps_of(optimizer) is None
        self._skipped: int | None = 0 if counts else None
        self._left: int | None = None
        self._looks = 0

    def look(self) -> dict[str, float]:
        """Returns `step` and `loss_scale` now, and `good_steps` and `skipped_steps` if known."""
        before, seen = self.seen, self._read()
        self._looks += 1
        seen.setdefault("step", self._looks)
        if self._skipped is not None:
            left, self._left = self._left, hysteresis_left_of(self.optimizer)
            # A bad step that a rule tolerates changes nothing else.
            tolerated = None not in (left, self._left) and left != self._left
            if before is not None and (tolerated or self.has_stepped(before, seen)):
                self._skipped += not self._was_good(before, seen)
            seen["skipped_steps"] = self._skipped
        self.seen = seen
        return seen

    def has_stepped(self, before: dict[str, float], seen: dict[str, float]) -> bool:
        """Whether there was a step between two observations."""
        if seen["step"] != before["step"]:
            return True
        # Keras 3 does not count a skipped step, but it changes one of these.
        known = ("loss_scale", "good_steps", "skipped_steps")
        both = [name for name in known if name in seen and name in before]
        return any(seen[name] != before[name] for name in both)

    def _was_good(self, before: dict[str, float], seen: dict[str, float]) -> bool:
        """Whether the step between two observations was applied, by the update rule."""
        if self.counts_applied_steps:
            return seen["step"] != before["step"]
        state = ScaleState(before["loss_scale"], int(before["good_steps"]))
        after = next_state(state, True, self._numbers())
        return (after.scale, after.good_steps) == (seen["loss_scale"], seen["good_steps"])

    def _rule(self) -> Any:
        """The optimizer's rule, which may change; `None` for optimizers that state none."""
        return getattr(self.optimizer, "loss_scale_rule", None)

    def _numbers(self) -> RuleNumbers:
        rule = self._rule()
        if rule is not None:
            return rule.numbers  # type: ignore[no-any-return]  # it may be any optimizer's
        return RuleNumbers.of_multiplier(self.growth_steps, self.multiplier)

    @property
    def floor(self) -> float:
        """The lowest value of the loss scale."""
        rule = self._rule()
        return FLOOR if rule is None else float(rule.min_scale)

    @property
    def stated_cap(self) -> float | None:
        """The highest value of the loss scale, if a rule states it."""
        rule = self._rule()
        return None if rule is None else rule.max_scale

    @property
    def on_floor(self) -> str:
        """What is to happen at the floor: `warn`, `raise` or `ignore`."""
        rule = self._rule()
        return "warn" if rule is None else str(rule.on_floor)

    def is_at_floor(self, before: dict[str, float], seen: dict[str, float]) -> bool:
        """Whether the scale is at its floor, and skipped steps since the last observation."""
        floor = self.floor
        if not self.is_dynamic or seen["loss_scale"] > floor:
            return False
        if not self.has_floor:
            # It is Keras 3's own. Below 1 it has overflowed at 1, or in the forward pass.
            return seen["loss_scale"] < min(before["loss_scale"], floor)
        if "skipped_steps" not in seen:
            return seen["good_steps"] == 0
        # The number of skipped steps that brought it down to the floor.
        return seen["skipped_steps"] - before["skipped_steps"] > self._steps_to(floor, before)

    def _steps_to(self, floor: float, before: dict[str, float]) -> float:
        """The largest number of skipped steps from an observed scale down to the floor."""
        numbers, scale = self._numbers(), max(before["loss_scale"], floor)
        if numbers.divisor <= 1:
            return 0
        if floor <= 0:
            return math.inf  # Without a floor, it only ends at 0.
        tolerated = numbers.hysteresis - 1
        return float(math.ceil(math.log(scale / floor, numbers.divisor)) + tolerated)

    def is_at_cap(self, scale: float) -> bool:
        """Whether a loss scale would be infinite if it grew again, and no rule has a cap."""
        if not self.is_dynamic:
            return False
        numbers = self._numbers()
        grown = PYTHON.float32(scale * numbers.growth_factor)
        return numbers.max_scale is None and not PYTHON.is_finite(grown)
