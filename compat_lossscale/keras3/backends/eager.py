# SPDX-License-Identifier: Apache-2.0
"""A step where operations take effect at once: on PyTorch."""

from __future__ import annotations

from typing import Any

from keras import ops

from compat_lossscale.keras3 import private
from compat_lossscale.keras3.backends import stateless
from compat_lossscale.spec import next_state
from compat_lossscale.steps.stuck import warn_that_it_is_stuck


class EagerSteps(stateless.StatelessSteps):
    """Takes a step on variables."""

    _skipped = 0
    _last_step_was_skipped = False
    _has_said_it_is_stuck = False

    def _take_step(self, gradients: list[Any], variables: Any) -> None:
        """Applies unscaled gradients if they are finite, and moves the loss scale."""
        finite = not self._spec.dynamic or bool(stateless.all_finite(gradients))
        if finite:
            self.inner_optimizer.apply(gradients, variables)
        elif self._counts_skipped_too:
            private.step_variable(self.inner_optimizer).assign_add(1)
        if self._spec.dynamic:
            self._move(finite)
            self._last_step_was_skipped = not finite
            self._skipped += not finite

    def _move(self, finite: bool) -> None:
        state = self.dynamic_scale, self.step_counter
        scale, good_steps = (ops.convert_to_numpy(one).item() for one in state)
        growth_steps, multiplier = self._spec.growth_steps, self._spec.multiplier
        assert growth_steps is not None
        assert multiplier is not None
        after = next_state(
            scale, good_steps, finite, growth_steps=growth_steps, multiplier=multiplier
        )
        for variable, old, new in zip(state, (scale, good_steps), after, strict=True):
            if new != old:
                variable.assign(new)
        if after[0] == scale and not (finite and after[1]):
            self._warn_once()

    def _warn_once(self) -> None:
        if not self._has_said_it_is_stuck:
            self._has_said_it_is_stuck = True
            warn_that_it_is_stuck()

    @property
    def skipped_steps(self) -> Any:
        """Steps that this optimizer skipped since it was made; files do not have it."""
        return self._skipped

    @property
    def last_step_skipped(self) -> Any:
        """Whether the latest step was skipped; files do not have it."""
        return self._last_step_was_skipped
