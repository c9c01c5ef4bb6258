# SPDX-License-Identifier: Apache-2.0
"""How a dynamic loss scale's variables, and the log's notes, are moved in a graph."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from compat_lossscale.core.step_log import StepLog, after_applied, after_skipped
from compat_lossscale.core.traced import compiled_by_xla
from compat_lossscale.core.updating import count_or_update, updating
from compat_lossscale.update_rule import Operations, next_state

TENSORFLOW = Operations(
    select=tf.where,
    # Graph optimization would turn a plain division by a constant into a multiplication by its
    # reciprocal, which is another float32.
    divide=tf.math.divide_no_nan,
    maximum=tf.maximum,
    is_finite=tf.math.is_finite,
    float32=lambda number: number,
)
"""The update rule on float32 and int64 scalar tensors."""


@dataclasses.dataclass(frozen=True)
class Mover:
    """Moves a dynamic loss scale in the branch in which a step is applied or skipped.

    Args:
        growth_steps: Good steps in a row after which the loss scale grows.
        multiplier: The factor by which it grows and shrinks.
    """

    growth_steps: int
    multiplier: float

    def after_applied(
        self, scale: tf.Variable, good_steps: tf.Variable, log: StepLog | None
    ) -> tf.Operation:
        """Moves the variables after an applied step: nearly always, it is only counted."""
        done: tf.Operation = count_or_update(
            good_steps, self._only_counts, _variables(scale, good_steps, log), _Applied(self)
        )
        return done

    def after_skipped(
        self,
        scale: tf.Variable,
        good_steps: tf.Variable,
        log: StepLog | None,
        counter: tf.Variable | None = None,
    ) -> Callable[[], Any]:
        """What moves the variables after a skipped step, and counts it in one more."""
        variables = _variables(scale, good_steps, log)
        rule = _Skipped(self, notes=log is not None, says=not compiled_by_xla())
        return updating([*variables, *([] if counter is None else [counter])], rule)

    def _only_counts(self, good_steps: tf.Tensor) -> tf.Tensor:
        return good_steps < self.growth_steps - 1

    def next_state(
        self, scale: tf.Tensor, good_steps: tf.Tensor, finite: tf.Tensor | bool
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """The loss scale and the count of good steps after one more step, as scalar tensors."""
        return next_state(
            scale,
            good_steps,
            finite,
            growth_steps=self.growth_steps,
            multiplier=self.multiplier,
            operations=TENSORFLOW,
        )


def _variables(
    scale: tf.Variable, good_steps: tf.Variable, log: StepLog | None
) -> list[tf.Variable]:
    return [scale, good_steps, *([] if log is None else [log.notes])]


@dataclasses.dataclass(frozen=True)
class _Applied:
    """What the variables become after an applied step, in every case."""

    mover: Mover

    def __call__(
        self, scale: tf.Tensor, good_steps: tf.Tensor, *notes: tf.Tensor
    ) -> list[tf.Tensor]:
        return [*self.mover.next_state(scale, good_steps, True), *map(after_applied, notes)]


@dataclasses.dataclass(frozen=True)
class _Skipped:
    """What the variables become after a skipped step.

    Attributes:
        mover: Moves the loss scale.
        notes: Whether a log's notes are among the variables, as the third.
        says: Whether it is said that the loss scale is stuck.
    """

    mover: Mover
    notes: bool
    says: bool

    def __call__(
        self, scale: tf.Tensor, good_steps: tf.Tensor, *others: tf.Tensor
    ) -> list[tf.Tensor]:
        told = scale if self.says else None
        notes, counts = (others[:1], others[1:]) if self.notes else ((), others)
        return [
            *self.mover.next_state(scale, good_steps, False),
            *(after_skipped(one, told) for one in notes),
            *(count + 1 for count in counts),
        ]
