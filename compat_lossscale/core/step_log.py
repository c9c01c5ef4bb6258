# SPDX-License-Identifier: Apache-2.0
"""Counting an optimizer's skipped steps, and saying once that its loss scale is stuck."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import tensorflow as tf

from compat_lossscale.core.traced import compiled_by_xla
from compat_lossscale.core.updating import update
from compat_lossscale.errors import LossScaleStuckWarning

_STUCK = (
    "The loss scale has to move and cannot. At 1, the lowest it can be, the gradients still hold a "
    "NaN or an infinity: look for one in the input or the loss, or for a learning rate at which "
    "training diverges. Near 3.4e38, the highest, every gradient has been tiny for a long time: "
    "look whether the loss depends on the variables at all. It is now"
)


class StepLog(tf.__internal__.tracking.Trackable):
    """What an optimizer remembers of its steps beside the loss scale.

    It is no part of a checkpoint: none of the original classes had it.
    """

    def __init__(self) -> None:
        # One variable, because a function pays for each one that it uses with each call: how many
        # steps were skipped, whether the latest was, and whether it was said that the loss scale
        # is stuck.
        self._notes = tf.Variable(
            [0, 0, 0],
            dtype=tf.int64,
            trainable=False,
            synchronization=tf.VariableSynchronization.AUTO,
            aggregation=tf.VariableAggregation.NONE,
        )

    @classmethod
    def if_possible(cls) -> StepLog | None:
        """Makes one, unless a graph of TensorFlow 1 is being built.

        A `tf.compat.v1.train.Saver` would save its variables with the model, and miss them in the
        model's older checkpoints.
        """
        return cls() if tf.compat.v1.executing_eagerly_outside_functions() else None

    @property
    def skipped(self) -> tf.Tensor:
        """How many steps were skipped, an int64 scalar tensor."""
        return tf.convert_to_tensor(self._notes)[0]

    @property
    def last_skipped(self) -> tf.Tensor:
        """Whether the latest step was skipped, a bool scalar tensor."""
        return tf.cast(tf.convert_to_tensor(self._notes)[1], tf.bool)

    @property
    def said(self) -> tf.Tensor:
        """Whether it was said that the loss scale is stuck, a bool scalar tensor."""
        return tf.cast(tf.convert_to_tensor(self._notes)[2], tf.bool)

    def note_applied(self) -> Any:
        """Notes that a step was applied."""
        if tf.executing_eagerly() and not tf.convert_to_tensor(self._notes).numpy()[1]:
            return None  # It says so already.
        return self._note(self._notes * [1, 0, 1])

    def note_skipped(self, scale: tf.Tensor | None = None) -> Any:
        """Notes that a step was skipped.

        A function says it, the first time, if the loss scale was 1 already. XLA cannot print:
        within a function that it compiles, nothing is said.

        Args:
            scale: The loss scale during the step, if the package's rule moves it.
        """
        if scale is None or tf.executing_eagerly() or compiled_by_xla():
            return update([self._notes], _after_skipped)
        return update([self._notes], _said_after_skipped, given=[scale])

    def note_move(self, before: float, after: float, good_steps: int) -> None:
        """Says, the first time, that the loss scale had to move and could not; in eager mode.

        Args:
            before: The loss scale during the step.
            after: The loss scale after the step.
            good_steps: The count of good steps after the step: 0 if the loss scale had to move.
        """
        if before == after and good_steps == 0:
            skipped, last_skipped, said = tf.unstack(self._notes)
            if not bool(said):
                self._note([skipped, last_skipped, 1])
                warnings.warn(f"{_STUCK} {after}.", LossScaleStuckWarning, stacklevel=2)

    def _note(self, notes: Any) -> Any:
        return self._notes.assign(notes, read_value=False)

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> Any:
        children = super()._trackable_children(save_type, **kwargs)
        return {**children, "notes": self._notes}


def _after_skipped(notes: tf.Tensor) -> list[tf.Tensor]:
    return [notes * [1, 0, 1] + [1, 1, 0]]


def _said_after_skipped(notes: tf.Tensor, scale: tf.Tensor) -> list[tf.Tensor]:
    stuck = scale <= 1.0
    news = tf.logical_and(stuck, tf.equal(notes[2], 0))
    tf.cond(news, lambda: tf.print(_STUCK, scale, output_stream=sys.stderr), tf.no_op)
    [after] = _after_skipped(notes)
    return [tf.maximum(after, tf.cast(stuck, notes.dtype) * [0, 0, 1])]
