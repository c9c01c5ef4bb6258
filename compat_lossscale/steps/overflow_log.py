# SPDX-License-Identifier: Apache-2.0
"""Noting which gradients were not finite in a skipped step, for those who ask beforehand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import tensorflow as tf

from compat_lossscale.core import OnGradients, as_written, values_of
from compat_lossscale.steps.overflow import Overflow


@as_written
def count_non_finite(gradients: Iterable[Any]) -> tf.Tensor:
    """Counts the elements of gradients that are a NaN or an infinity.

    Args:
        gradients: Dense tensors, `tf.IndexedSlices` and `None`, which is left out.

    Returns:
        An int64 vector: for each gradient the number of such elements, then for each gradient the
        number of all its elements.
    """
    values = values_of(gradients)
    bad = [
        tf.math.count_nonzero(tf.logical_not(tf.math.is_finite(one)), dtype=tf.int64)
        for one in values
    ]
    return tf.stack([*bad, *(tf.size(one, out_type=tf.int64) for one in values)])


class OverflowLog:
    """Notes the first skipped step since it was last read.

    All of it is done in the branch that skips: a step that is applied does nothing more.

    Args:
        counter: Gives the variable that counts steps, if there is one.

    Attributes:
        notes: By the names of the variables whose gradients are applied together, an int64
            variable: how many steps were skipped since the last reading; of the first of them, its
            number by the counter, how many elements of each gradient are not finite, and how many
            elements each gradient has.
    """

    def __init__(self, counter: Callable[[], Any] | None = None) -> None:
        self._counter = counter
        self.notes: dict[tuple[str, ...], tf.Variable] = {}

    def note(self, names: tuple[str, ...], on_gradients: OnGradients) -> Any:
        """Notes a skipped step. Call it when the counter has counted the step.

        Args:
            names: The names of the variables that have gradients.
            on_gradients: See `apply_or_skip`. All replicas of this process are counted together.
        """
        with tf.init_scope():
            notes = self._notes_of(names)  # A branch cannot make the variable.
        counted = on_gradients(count_non_finite)
        replicas = tf.distribute.get_strategy().experimental_local_results(counted)
        step = 0 if self._counter is None else self._counter()
        now = tf.concat([[tf.cast(step, tf.int64)], tf.add_n(list(replicas))], axis=0)
        before = tf.convert_to_tensor(notes)
        first = tf.where(before[0] > 0, before[1:], now)
        return notes.assign(tf.concat([before[:1] + 1, first], axis=0), read_value=False)

    def _notes_of(self, names: tuple[str, ...]) -> tf.Variable:
        if names not in self.notes:
            self.notes[names] = tf.Variable(
                [0] * (2 + 2 * len(names)),
                dtype=tf.int64,
                trainable=False,
                synchronization=tf.VariableSynchronization.AUTO,
                aggregation=tf.VariableAggregation.NONE,
            )
        return self.notes[names]

    def take(self) -> list[Overflow]:
        """Reads what was noted, and forgets it; in eager mode.

        Returns:
            For each set of gradients, the first skipped step since the last reading.
        """
        taken = []
        for names, variable in self.notes.items():
            skipped, step, *counts = variable.numpy().tolist()
            if skipped:
                sizes = counts[len(names) :]
                taken.append(Overflow.of_counts(step, names, counts[: len(names)], sizes, skipped))
                variable.assign([0] * (2 + 2 * len(names)))
        return sorted(taken, key=lambda one: one.step)
