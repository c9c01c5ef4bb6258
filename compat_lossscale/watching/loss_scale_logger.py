# SPDX-License-Identifier: Apache-2.0
"""A Keras callback that logs the loss scale while a model trains."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from compat_lossscale._require import require_tensorflow
from compat_lossscale.errors import LossScaleArgumentError

require_tensorflow(__name__)

import tensorflow as tf  # noqa: E402  # after the check
import tf_keras  # noqa: E402  # after the check

from compat_lossscale.watching.reading import loss_scale_of  # noqa: E402  # after the check
from compat_lossscale.watching.watched_optimizer import (  # noqa: E402  # after the check
    FLOOR,
    WatchedOptimizer,
)

__all__ = ["LossScaleLogger"]

_SCALAR = tf.compat.v1.SummaryMetadata(
    plugin_data=tf.compat.v1.SummaryMetadata.PluginData(plugin_name="scalars")
)
"""The metadata by which TensorBoard knows that a summary is a number."""


class LossScaleLogger(tf_keras.callbacks.Callback):
    """Adds the state of the loss scale to Keras' logs, and warns when it is stuck.

    At the end of each epoch, and after every `every` batches, it adds to `logs`

    - `loss_scale`, the current value;
    - `good_steps`, the good steps in a row since the value last changed or a step was skipped.
      After `dynamic_growth_steps` of them the loss scale grows. Not for fixed loss scales;
    - `skipped_steps`, the steps skipped since the optimizer was created. If the optimizer does not
      count them, the callback counts them from the beginning of training, but only with `every=1`,
      because it derives them from the other two.

    So they are in `History`, and callbacks after this one can use them. The callback works with the
    loss-scale optimizers of this package, of tf-keras, and of Keras 3 on TensorFlow, and with those
    that `Model.compile` wraps under the policy `mixed_float16`::

        history = model.fit(x, y, callbacks=[compat_lossscale.callbacks.LossScaleLogger()])
        history.history["loss_scale"]

    It warns once of a loss scale that is stuck at its floor, and once of one that is stuck at its
    cap, through TensorFlow's logger. It does not repeat the warnings of an optimizer of this
    package.

    Args:
        every: Log after every so many batches of an epoch too. Logging reads up to four scalars.
        log_dir: Folder for summaries for TensorBoard, by the optimizer's `iterations`.
        writer: A `tf.summary` writer for them, instead of `log_dir`.
        optimizer: The optimizer to log; by default, that of the model.

    Raises:
        ValueError: `every` is not a positive whole number, or `log_dir` and `writer` are both
            passed, or one is passed while eager execution is off.
    """

    def __init__(
        self,
        every: int | None = None,
        *,
        log_dir: str | Path | None = None,
        writer: Any = None,
        optimizer: Any = None,
    ) -> None:
        super().__init__()
        # Its hooks do not read the logs, so Keras need not convert them to numbers.
        self._supports_tf_logs = True
        self.every = _checked_every(every)
        self._writer = _checked_writer(log_dir, writer)
        self._optimizer = optimizer
        self._watched: WatchedOptimizer | None = None
        self._batches = 0
        self._warned: set[str] = set()
        self._history: dict[str, list[float]] = {}

    @property
    def history(self) -> dict[str, list[float]]:
        """All logged values by name, in the form of `History.history`, and their `step`.

        `step` is the optimizer's `iterations`. It counts skipped steps too, except in Keras 3 and
        TensorFlow 2.0 to 2.2.
        """
        return self._history

    def observe(self) -> dict[str, float]:
        """Logs now. Use this in loops without `Model.fit`, and pass `optimizer` to the constructor.

        Returns:
            The values for the logs; an empty dictionary if the optimizer has no loss scale.
        """
        watched = self._watch()
        if watched is None:
            return {}
        before, seen = watched.seen, watched.look()
        if before is None or watched.has_stepped(before, seen):
            for name, value in seen.items():
                self._history.setdefault(name, []).append(value)
            self._summarise(seen)
            if before is not None:
                self._warn_if_stuck(watched, before, seen)
        return {name: value for name, value in seen.items() if name != "step"}

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Reads the loss scale at the beginning. The history does not include this value."""
        del logs
        self._watched = None
        self._history.clear()
        self._watch()

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Counts batches from here."""
        del epoch, logs
        self._batches = 0

    def on_train_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """Logs if `every` batches have passed."""
        before, self._batches = self._batches, batch + 1
        # With steps_per_execution, Keras calls this once for several batches.
        if self.every and self._batches // self.every > before // self.every:
            _put(self.observe(), logs)

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Looks."""
        del epoch
        _put(self.observe(), logs)

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        """Flushes the summaries."""
        del logs
        if self._writer is not None:
            self._writer.flush()

    def _watch(self) -> WatchedOptimizer | None:
        optimizer = self._optimizer
        if optimizer is None:
            optimizer = getattr(self.model, "optimizer", None)
        if self._watched is None or self._watched.optimizer is not optimizer:
            self._watched = None
            if loss_scale_of(optimizer) is None:
                self._warn_once(
                    "none",
                    f"LossScaleLogger: the optimizer, {type(optimizer).__name__}, has no loss "
                    "scale, so nothing is logged. Wrap it in a LossScaleOptimizer, or set the "
                    "policy mixed_float16 before you create the model.",
                )
                return None
            self._watched = WatchedOptimizer(optimizer, counts_itself=self.every == 1)
            if self.model is not None:
                self._watched.look()
        return self._watched

    def _summarise(self, seen: dict[str, float]) -> None:
        if self._writer is None:
            return
        with self._writer.as_default():
            for name, value in seen.items():
                if name != "step":
                    # As tf.summary.scalar does, which needs TensorBoard installed.
                    tf.summary.write(name, tf.constant(value, tf.float32), seen["step"], _SCALAR)

    def _warn_if_stuck(
        self, watched: WatchedOptimizer, before: dict[str, float], seen: dict[str, float]
    ) -> None:
        scale = seen["loss_scale"]
        if getattr(watched.optimizer, "_has_said_it_is_stuck", False):
            return
        if watched.is_at_floor(before, seen):
            where = "below 1" if watched.is_of_keras_3 else f"at its floor, {FLOOR:g}"
            self._warn_once(
                "floor",
                f"LossScaleLogger: the loss scale is {where}, and steps are still "
                f"skipped (step {seen['step']:.0f}): the gradients are not finite even unscaled. "
                "Look for NaN or infinity in the loss and the inputs, for a learning rate that is "
                "too high, and for values beyond 65504, the largest float16. "
                "tf.debugging.enable_check_numerics() names the operation.",
            )
        if watched.is_at_cap(scale):
            self._warn_once(
                "cap",
                f"LossScaleLogger: the loss scale is at its cap, {scale:.3g} (step "
                f"{seen['step']:.0f}): it would be infinite if it grew again. No gradient has "
                "overflowed. Check whether the gradients are all zero, and whether anything "
                "computes in float16; if nothing does, you need no loss scale.",
            )

    def _warn_once(self, what: str, message: str) -> None:
        if what not in self._warned:
            self._warned.add(what)
            tf.get_logger().warning("%s", message)


def _put(seen: dict[str, float], logs: dict[str, Any] | None) -> None:
    if logs is not None:
        logs.update(seen)


def _checked_every(every: int | None) -> int | None:
    if every is not None and (not isinstance(every, int) or every < 1):
        raise LossScaleArgumentError(
            f'"every" must be a positive whole number of batches, or None for epochs only, but '
            f"got: {every!r}."
        )
    return every


def _checked_writer(log_dir: str | Path | None, writer: Any) -> Any:
    if log_dir is None and writer is None:
        return None
    if log_dir is not None and writer is not None:
        raise LossScaleArgumentError(
            'Summaries go to one place: give "log_dir" or "writer", not both.'
        )
    if not tf.executing_eagerly():
        raise LossScaleArgumentError(
            "Summaries are written in eager mode only, which is off in this program. Leave out "
            '"log_dir" and "writer", and use the history.'
        )
    return writer if writer is not None else tf.summary.create_file_writer(str(log_dir))
