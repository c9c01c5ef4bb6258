# SPDX-License-Identifier: Apache-2.0
"""How a step moves a dynamic loss scale: growth after good steps, backoff after a bad one.

The rule is `compat_lossscale.spec.next_state`. Here, it moves variables: by Python's arithmetic in
eager mode, and by operations in a graph.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from compat_lossscale.core.replicas import grouped
from compat_lossscale.core.rule_settings import RuleSettings
from compat_lossscale.spec import Operations, RuleNumbers, ScaleState
from compat_lossscale.spec.update_rule import next_state


def _select(condition: Any, a: Any, b: Any) -> Any:
    """`tf.where`, without an operation for what is known while tracing."""
    if isinstance(condition, bool):
        return a if condition else b
    return tf.where(condition, a, b)


_ON_TENSORS = Operations(
    select=_select,
    divide=tf.divide,
    maximum=tf.maximum,
    minimum=tf.minimum,
    is_finite=tf.math.is_finite,
    float32=lambda number: number,
)
"""The update rule's arithmetic on float32 and int64 scalar tensors."""


class GrowsAndBacksOff:
    """Adds to a dynamic loss scale that it moves by the rule."""

    _current_loss_scale: Any
    _num_good_steps: Any
    _hysteresis_left: Any = None
    _increment_period: int
    _multiplier: float
    _settings: RuleSettings | None = None
    """The numbers of a rule, instead of the period and the multiplier."""
    _stays_at_cap = False

    def advance(self, finite: Any) -> list[Any]:
        """Moves the loss scale by the update rule, given whether the step was a good one.

        Args:
            finite: Whether all gradients, on all replicas, were finite: a bool scalar tensor, or a
                bool in a branch where it is known.

        Returns:
            The operations that move it in a graph; of no meaning in eager mode.
        """
        if tf.executing_eagerly():
            return self._move_eagerly(bool(finite))
        if self._settings is not None or not isinstance(finite, bool):
            return self._move(finite, tf.convert_to_tensor(self._num_good_steps))
        if not finite:
            return self._move(finite, 0)  # A bad step does not ask how many good ones there were.
        # A branch, as it hardly ever grows: to count takes fewer operations than the whole rule.
        due = self._increment_period - 1
        return [
            tf.cond(
                self._num_good_steps < due,
                lambda: grouped(self._count_good_step()),
                lambda: grouped(self._move(finite, due)),
                name="count_or_grow",  # See `graph_names`.
            )
        ]

    def has_to_shrink_at_floor(self) -> Any:
        """Whether it is at its floor, so that it could not shrink after a bad step as it has to.

        Returns:
            A bool scalar tensor; `None` of a loss scale that never shrinks.
        """
        if self._never_moves:
            return None
        floor = 1.0 if self._settings is None else tf.cast(self.numbers.min_scale, tf.float32)
        at_floor = tf.equal(self._current_loss_scale, floor)
        left = self._hysteresis_left
        return at_floor if left is None else tf.logical_and(at_floor, left <= 1)

    @property
    def numbers(self) -> RuleNumbers:
        """The numbers by which it moves; tensors in a `tf.function`, if they can change."""
        if self._settings is not None:
            return self._settings.numbers
        return RuleNumbers.of_multiplier(self._increment_period, self._multiplier)

    def _move(self, finite: Any, good_steps: Any) -> list[Any]:
        """Moves it in a graph."""
        left = self._hysteresis_left
        left = None if left is None else tf.convert_to_tensor(left)
        scale = tf.convert_to_tensor(self._current_loss_scale)
        state = ScaleState(scale, good_steps, left)
        return self._assign_state(next_state(state, finite, self.numbers, _ON_TENSORS))

    def _move_eagerly(self, finite: bool) -> list[Any]:
        """Moves it by Python's arithmetic, which gives the same and spares a dozen operations."""
        good_steps = int(tf.convert_to_tensor(self._num_good_steps))
        if finite and self._settings is None and good_steps + 1 < self._increment_period:
            self._stays_at_cap = False
            return [self._count_good_step()]
        left = self._hysteresis_left
        left = None if left is None else int(tf.convert_to_tensor(left))
        scale = float(tf.convert_to_tensor(self._current_loss_scale))
        before = ScaleState(scale, good_steps, left)
        after = next_state(before, finite, self.numbers)
        grows = finite and after.good_steps <= good_steps
        self._stays_at_cap = grows and after.scale == before.scale
        return self._assign_state(after)

    def _count_good_step(self) -> Any:
        return self._num_good_steps.assign_add(1, read_value=False)

    def _assign_state(self, state: ScaleState) -> list[Any]:
        variables = [self._current_loss_scale, self._num_good_steps, self._hysteresis_left]
        return [
            variable.assign(new, read_value=False)
            for variable, new in zip(variables, state, strict=True)
            if variable is not None
        ]

    @property
    def stays_at_cap(self) -> bool:
        """Whether the latest step in eager mode was to make it grow, and could not."""
        return self._stays_at_cap and self.numbers.max_scale is None and not self._never_moves

    @property
    def _never_moves(self) -> bool:
        return self._settings is None and self._multiplier == 1
