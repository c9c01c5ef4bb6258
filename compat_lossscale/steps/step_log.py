# SPDX-License-Identifier: Apache-2.0
"""Counting an optimizer's skipped steps, and warning once that its loss scale is stuck."""

from __future__ import annotations

import atexit
import weakref
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from compat_lossscale.spec import LossScaleRule
from compat_lossscale.steps.stuck import refuse_to_go_on, warn_that_it_is_stuck


class StepLog:
    """What an optimizer remembers of its steps beside the loss scale.

    It is no part of a checkpoint: none of the original classes had it.

    Args:
        counter: Gives the variable that counts applied steps, and possibly skipped ones too, if
            there is one: an applied step then needs no note. It may have to make the variable.
        rule: Gives the loss scale's rule, if one was stated. It says what happens at the floor.

    Attributes:
        notes: An int64 variable: how many steps were skipped; which step the latest of them was, by
            the counter, or whether the latest step was; how many were skipped at a loss scale that
            is stuck. One variable, as a function takes time for each one that it uses.
    """

    def __init__(
        self,
        counter: Callable[[], Any] | None = None,
        rule: Callable[[], LossScaleRule | None] | None = None,
    ) -> None:
        self._counter = counter
        self._rule = rule
        self.has_warned = False
        self.notes = tf.Variable(
            [0, 0, 0],
            dtype=tf.int64,
            trainable=False,
            synchronization=tf.VariableSynchronization.AUTO,
            aggregation=tf.VariableAggregation.NONE,
        )
        _logs.add(self)

    @classmethod
    def if_possible(
        cls,
        counter: Callable[[], Any] | None = None,
        rule: Callable[[], LossScaleRule | None] | None = None,
    ) -> StepLog | None:
        """Makes one, unless a graph of TensorFlow 1 is being built.

        A `tf.compat.v1.train.Saver` would save its variables with the model, and miss them in the
        model's older checkpoints.
        """
        return cls(counter, rule) if tf.compat.v1.executing_eagerly_outside_functions() else None

    @property
    def skipped(self) -> tf.Tensor:
        """How many steps were skipped, an int64 scalar tensor."""
        return tf.convert_to_tensor(self.notes)[0]

    @property
    def last_skipped(self) -> tf.Tensor:
        """Whether the latest step was skipped, a bool scalar tensor."""
        skipped, last = self.notes[0], self.notes[1]
        return tf.logical_and(skipped > 0, tf.equal(last, self._steps()))

    def _steps(self) -> Any:
        return 1 if self._counter is None else tf.cast(self._counter(), tf.int64)

    def note_applied(self) -> Any:
        """Notes that a step was applied."""
        if self._counter is not None:
            return None
        return self.notes.assign(self.notes * [1, 0, 1], read_value=False)

    def note_skipped(self, stuck: tf.Tensor | None = None) -> Any:
        """Notes that a step was skipped. Call it when the counter has counted the step.

        Args:
            stuck: Whether the loss scale has to shrink and is at its floor, a bool scalar tensor.
        """
        at_floor = 0 if stuck is None else tf.cast(stuck, tf.int64)
        kept = self.notes * [1, 0, 1]
        return self.notes.assign(tf.add(kept, [1, self._steps(), at_floor]), read_value=False)

    def warn_if_stuck(self, *, may_raise: bool = True, again: bool = False) -> None:
        """Warns or raises, as the rule says, if steps were skipped at the floor; in eager mode.

        Without a rule, it warns of the first. A function has no way to warn: what XLA compiles
        cannot print.

        Args:
            may_raise: Whether to raise where the rule says so. Otherwise it warns.
            again: Whether to raise after the first time too.

        Raises:
            LossScaleStuckError: The rule says so.
        """
        rule = None if self._rule is None else self._rule()
        raises = may_raise and rule is not None and rule.on_floor == "raise"
        if self.has_warned and not (raises and again):
            return
        if not tf.executing_eagerly() or (rule is not None and rule.on_floor == "ignore"):
            return
        if int(self.notes[2]) < (1 if rule is None else rule.floor_steps):
            return
        if raises:
            self.has_warned = True
            refuse_to_go_on()
        self.warn()

    def warn(self) -> None:
        """Warns that the loss scale is stuck; the first time only."""
        if not self.has_warned:
            self.has_warned = True
            rule = None if self._rule is None else self._rule()
            warn_that_it_is_stuck(1.0 if rule is None else rule.min_scale)


_logs: weakref.WeakSet[StepLog] = weakref.WeakSet()


@atexit.register
def _warn_at_exit() -> None:
    """Warns of loss scales that got stuck within functions, and that nobody has looked at since."""
    for log in _logs:
        log.warn_if_stuck(may_raise=False)
