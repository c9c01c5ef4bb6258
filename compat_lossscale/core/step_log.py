# SPDX-License-Identifier: Apache-2.0
"""Counting an optimizer's skipped steps, and saying once that its loss scale is stuck."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import tensorflow as tf

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

    Args:
        good_steps: The count of good steps in a row, an int64 scalar variable, if steps are noted
            only where they leave it at 0. Above 0 it tells by itself that the latest was applied.

    Attributes:
        notes: What is remembered, an int64 variable for the functions of this module.
    """

    def __init__(self, good_steps: tf.Variable | None = None) -> None:
        self._good_steps = good_steps
        # One variable, because a function pays for each one that it uses with each call: how many
        # steps were skipped, whether the latest was, and whether it was said that the loss scale
        # is stuck.
        self.notes = tf.Variable(
            [0, 0, 0],
            dtype=tf.int64,
            trainable=False,
            synchronization=tf.VariableSynchronization.AUTO,
            aggregation=tf.VariableAggregation.NONE,
        )

    @classmethod
    def if_possible(cls, good_steps: tf.Variable | None = None) -> StepLog | None:
        """Makes one, unless a graph of TensorFlow 1 is being built.

        A `tf.compat.v1.train.Saver` would save its variables with the model, and miss them in the
        model's older checkpoints.
        """
        return cls(good_steps) if tf.compat.v1.executing_eagerly_outside_functions() else None

    @property
    def skipped(self) -> tf.Tensor:
        """How many steps were skipped, an int64 scalar tensor."""
        return tf.convert_to_tensor(self.notes)[0]

    @property
    def last_skipped(self) -> tf.Tensor:
        """Whether the latest step was skipped, a bool scalar tensor."""
        last_skipped = tf.cast(tf.convert_to_tensor(self.notes)[1], tf.bool)
        if self._good_steps is None:
            return last_skipped
        return tf.logical_and(last_skipped, tf.equal(self._good_steps, 0))

    @property
    def said(self) -> tf.Tensor:
        """Whether it was said that the loss scale is stuck, a bool scalar tensor."""
        return tf.cast(tf.convert_to_tensor(self.notes)[2], tf.bool)

    def note(self, *, applied: bool) -> Any:
        """Notes that a step was applied or skipped."""
        if not applied:
            return update([self.notes], _after_skipped_alone)
        if tf.executing_eagerly() and not tf.convert_to_tensor(self.notes).numpy()[1]:
            return None  # It says so already.
        return self.notes.assign(after_applied(self.notes), read_value=False)

    def note_move(self, before: float, after: float, good_steps: int) -> None:
        """Says, the first time, that the loss scale had to move and could not; in eager mode.

        Args:
            before: The loss scale during the step.
            after: The loss scale after the step.
            good_steps: The count of good steps after the step: 0 if the loss scale had to move.
        """
        if before == after and good_steps == 0:
            skipped, last_skipped, said = tf.unstack(self.notes)
            if not bool(said):
                self.notes.assign([skipped, last_skipped, 1])
                warnings.warn(f"{_STUCK} {after}.", LossScaleStuckWarning, stacklevel=2)

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> Any:
        children = super()._trackable_children(save_type, **kwargs)
        return {**children, "notes": self.notes}


def after_applied(notes: tf.Tensor) -> tf.Tensor:
    """What the notes become after an applied step."""
    return notes * [1, 0, 1]


def after_skipped(notes: tf.Tensor, scale: tf.Tensor | None = None) -> tf.Tensor:
    """What the notes become after a skipped step.

    Args:
        notes: The notes.
        scale: The loss scale during the step: that it was 1 already is said, the first time. XLA
            cannot print, so that a function that it compiles must not give one.
    """
    after = notes * [1, 0, 1] + [1, 1, 0]
    if scale is None:
        return after
    stuck = scale <= 1.0
    news = tf.logical_and(stuck, tf.equal(notes[2], 0))
    tf.cond(news, lambda: tf.print(_STUCK, scale, output_stream=sys.stderr), tf.no_op)
    return tf.maximum(after, tf.cast(stuck, notes.dtype) * [0, 0, 1])


def _after_skipped_alone(notes: tf.Tensor) -> list[tf.Tensor]:
    return [after_skipped(notes)]
