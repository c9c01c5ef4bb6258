# SPDX-License-Identifier: Apache-2.0
"""The loss scale and the skipped steps of one optimizer, between two observations."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from compat_lossscale.spec.update_rule import PYTHON, next_state
from compat_lossscale.watching.reading import (
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
        self._counts_applied_steps = is_of_keras_3(optimizer) and not getattr(
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
        self._looks = 0

    def look(self) -> dict[str, float]:
        """Returns `step` and `loss_scale` now, and `good_steps` and `skipped_steps` if known."""
        before, seen = self.seen, self._read()
        self._looks += 1
        seen.setdefault("step", self._looks)
        if self._skipped is not None:
            if before is not None and self.has_stepped(before, seen):
                self._skipped += not self._was_good(before, seen)
            seen["skipped_steps"] = self._skipped
        self.seen = seen
        return seen

    def has_stepped(self, before: dict[str, float], seen: dict[str, float]) -> bool:
        """Whether there was a step between two observations."""
        if seen["step"] != before["step"]:
            return True
        # Keras 3 does not count a skipped step, but it shrinks the loss scale.
        known = ("loss_scale", "skipped_steps") if "skipped_steps" in seen else ("loss_scale",)
        return any(seen[name] != before[name] for name in known)

    def _was_good(self, before: dict[str, float], seen: dict[str, float]) -> bool:
        """Whether the step between two observations was applied, by the update rule."""
        if self._counts_applied_steps:
            return seen["step"] != before["step"]
        state = next_state(
            before["loss_scale"],
            int(before["good_steps"]),
            True,
            growth_steps=self.growth_steps,
            multiplier=self.multiplier,
        )
        return state == (seen["loss_scale"], seen["good_steps"])

    def is_at_floor(self, before: dict[str, float], seen: dict[str, float]) -> bool:
        """Whether the scale is at its floor, and skipped steps since the last observation."""
        if not self.is_dynamic or seen["loss_scale"] > FLOOR:
            return False
        if not self.has_floor:
            # It is Keras 3's own. Below 1 it has overflowed at 1, or in the forward pass.
            return seen["loss_scale"] < min(before["loss_scale"], FLOOR)
        if "skipped_steps" not in seen:
            return seen["good_steps"] == 0
        # The number of skipped steps that brought it down to the floor.
        scale = max(before["loss_scale"], FLOOR)
        needed = math.ceil(math.log(scale, self.multiplier)) if self.multiplier > 1 else 0
        return seen["skipped_steps"] - before["skipped_steps"] > needed

    def is_at_cap(self, scale: float) -> bool:
        """Whether a loss scale would be infinite if it grew again."""
        return self.is_dynamic and not PYTHON.is_finite(PYTHON.float32(scale * self.multiplier))
