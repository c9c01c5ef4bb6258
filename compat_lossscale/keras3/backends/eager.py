# SPDX-License-Identifier: Apache-2.0
"""A step where operations take effect at once: on PyTorch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from keras import ops

from compat_lossscale.errors import LossScaleArgumentError
from compat_lossscale.keras3 import private
from compat_lossscale.keras3.backends import stateless
from compat_lossscale.keras3.backends.inner_step import apply_by_inner
from compat_lossscale.members.guards import (
    refuse_to_go_on,
    warn_that_it_is_stuck,
    warn_that_it_starts_again,
)
from compat_lossscale.spec import LossScaleRule, LossScaleSpec, ScaleState, next_state


class EagerSteps(stateless.StatelessSteps):
    """Takes a step on variables."""

    _skipped = 0
    _last_step_was_skipped = False
    _steps_at_floor = 0
    _has_said_it_is_stuck = False
    _restart: Callable[[], None]

    def _take_step(self, gradients: list[Any], variables: Any) -> None:
        """Applies unscaled gradients if they are finite, and moves the loss scale."""
        finite = not self._spec.dynamic or bool(stateless.all_finite(gradients))
        if finite:
            apply_by_inner(self.inner_optimizer, gradients, variables)
        elif self._counts_skipped_too:
            private.step_variable(self.inner_optimizer).assign_add(1)
        if self._spec.dynamic:
            self._move(finite)
            self._last_step_was_skipped = not finite
            self._skipped += not finite

    def _move(self, finite: bool) -> None:
        numbers = self._spec.numbers
        assert numbers is not None
        variables = self._scale_variables()
        before = ScaleState(*(ops.convert_to_numpy(one).item() for one in variables))
        if not (finite or math.isfinite(before.scale)):
            self._restart()
            warn_that_it_starts_again(before.scale, self.initial_scale)
            return
        after = next_state(before, finite, numbers)
        for variable, old, new in zip(variables, before, after, strict=False):
            if new != old:
                variable.assign(new)
        if after.scale != before.scale or after.hysteresis_left != before.hysteresis_left:
            return
        if not finite:
            self._note_floor()
        elif after.good_steps == numbers.growth_delay and numbers.max_scale is None:
            self._warn_once()

    def _note_floor(self) -> None:
        """Notes a skipped step at the floor, and does what the rule says."""
        self._steps_at_floor += 1
        rule = self._spec.rule
        if rule is None:
            self._warn_once()
        elif self._steps_at_floor >= rule.floor_steps and rule.on_floor == "raise":
            refuse_to_go_on()
        elif self._steps_at_floor >= rule.floor_steps and rule.on_floor == "warn":
            self._warn_once()

    def _warn_once(self) -> None:
        if not self._has_said_it_is_stuck:
            self._has_said_it_is_stuck = True
            numbers = self._spec.numbers
            warn_that_it_is_stuck(1.0 if numbers is None else numbers.min_scale)

    def _change_rule(self, rule: LossScaleRule) -> None:
        spec = LossScaleSpec(initial_scale=self._spec.initial_scale, rule=rule)
        if not self._spec.dynamic or (spec.rule is None) or (self._spec.rule is None):
            raise LossScaleArgumentError(
                "This optimizer was made without a rule that differs from TensorFlow's by more "
                "than the growth steps and one factor, or is to lose it. Make a new optimizer with "
                "rule=."
            )
        if (spec.rule.hysteresis > 1) != (self._spec.rule.hysteresis > 1):
            raise LossScaleArgumentError(
                "hysteresis above 1 needs a variable, which an optimizer has from the start or "
                "never. Make a new optimizer with the other rule."
            )
        self.__dict__["_spec"] = spec

    @property
    def skipped_steps(self) -> Any:
        """Steps that this optimizer skipped since it was made; files do not have it."""
        return self._skipped

    @property
    def last_step_skipped(self) -> Any:
        """Whether the latest step was skipped; files do not have it."""
        return self._last_step_was_skipped
