# SPDX-License-Identifier: Apache-2.0
"""What the callbacks that watch a loss scale do, whichever Keras they are of."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from compat_lossscale.errors import LossScaleArgumentError, LossScaleStuckError
from compat_lossscale.steps.overflow import Overflow
from compat_lossscale.watching.reading import loss_scale_of, skipped_steps_of
from compat_lossscale.watching.run_setting import RunSetting
from compat_lossscale.watching.watched_optimizer import WatchedOptimizer
from compat_lossscale.watching.watched_overflows import WatchedOverflows

_logger = logging.getLogger("tensorflow")
"""What `tf.get_logger()` returns."""


class LoggingHooks:
    """The hooks of a Keras callback that adds the state of the loss scale to Keras' logs.

    A callback derives from this class and from its Keras' base class, and calls `_set_up`.
    """

    model: Any
    _reader_of: Callable[[Any], Callable[[], dict[str, float]]]
    """Is defined by the callbacks: gives what reads an optimizer's state."""

    def _set_up(self, every: int | None, optimizer: Any, writer: Any, gradients: bool) -> None:
        """Takes the arguments of the callback.

        Args:
            every: See `LossScaleLogger`.
            optimizer: See `LossScaleLogger`.
            writer: Has `write(name, value, step)` and `flush()`; `None` writes no summaries.
            gradients: See `LossScaleLogger`.

        Raises:
            LossScaleArgumentError: `every` is no positive whole number.
        """
        self.every = _checked_every(every)
        self._summaries = writer
        self._optimizer = optimizer
        self._gradients = gradients
        self._watched: WatchedOptimizer | None = None
        self._watched_overflows: WatchedOverflows | None = None
        self._batches = 0
        self._warned: set[str] = set()
        self._history: dict[str, list[Any]] = {}
        self._overflows: list[Overflow] = []
        self._overflow_share: dict[str, float] = {}
        """What the latest row has of it; empty if nobody asked."""
        self._setting = RunSetting()
        if gradients and optimizer is not None:
            self._watch()  # Before a function of the loop is traced.

    @property
    def history(self) -> dict[str, list[Any]]:
        """All logged values by name, in the form of `History.history`, and their `step`.

        `step` is the optimizer's `iterations`. It counts skipped steps too, except in Keras 3 and
        TensorFlow 2.0 to 2.2. With `gradients=True`, `overflow_variable` is the name of the
        variable whose gradient overflowed first since the value before, or `None`.
        """
        return self._history

    @property
    def overflows(self) -> list[Overflow]:
        """With `gradients=True`, the first skipped step of each logged value that had one."""
        return self._overflows

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
            if self._watched_overflows is not None:
                self._keep(self._watched_overflows.take())
            seen = {**seen, **self._overflow_share}
            for name, value in seen.items():
                self._history.setdefault(name, []).append(value)
            self._write(seen)
            if before is not None:
                self._warn_if_stuck(watched, before, seen)
        seen = {**seen, **self._overflow_share}
        return {name: value for name, value in seen.items() if name != "step"}

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Reads the loss scale at the beginning. The history does not include this value."""
        del logs
        self._watched = None
        self._history.clear()
        self._overflows.clear()
        self._overflow_share = {}
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
        """Logs."""
        del epoch
        _put(self.observe(), logs)

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        """Flushes the summaries."""
        del logs
        if self._summaries is not None:
            self._summaries.flush()

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
            self._watched = WatchedOptimizer(
                optimizer, self._reader_of(optimizer), counts_itself=self.every == 1
            )
            if self._gradients:
                self._watched_overflows = self._record_overflows_of(self._watched)
            start = self._watched.look() if self.model is not None else None
            self._setting = RunSetting.of(self._watched, start)
        return self._watched

    def _record_overflows_of(self, watched: WatchedOptimizer) -> WatchedOverflows | None:
        if not watched.is_dynamic:
            self._warn_once(
                "fixed",
                "LossScaleLogger: gradients=True has nothing to show, because the loss scale is "
                "fixed. Only a dynamic one asks whether the gradients are finite.",
            )
            return None
        return WatchedOverflows(watched.optimizer, self.model)

    def _keep(self, overflow: Overflow | None) -> None:
        first = overflow and overflow.first
        self._history.setdefault("overflow_variable", []).append(first and first.variable)
        self._overflow_share = {"overflow_share": first.share if first else 0.0}
        if overflow is not None:
            self._overflows.append(overflow)

    def _write(self, seen: dict[str, float]) -> None:
        if self._summaries is not None:
            for name, value in seen.items():
                if name != "step":
                    self._summaries.write(name, value, seen["step"])

    def _warn_if_stuck(
        self, watched: WatchedOptimizer, before: dict[str, float], seen: dict[str, float]
    ) -> None:
        scale = seen["loss_scale"]
        if getattr(watched.optimizer, "_has_said_it_is_stuck", False):
            return
        on_floor = watched.on_floor
        if on_floor != "ignore" and watched.is_at_floor(before, seen):
            # Others have raised by themselves, or have yet to count more steps.
            if on_floor == "raise" and skipped_steps_of(watched.optimizer) is None:
                raise LossScaleStuckError(
                    f"The loss scale is at the floor of its rule, {watched.floor:g}, and a step "
                    f"was skipped (step {seen['step']:.0f}): a gradient is not finite even there. "
                    "Look for a NaN or an infinity in the loss and the inputs, or for a learning "
                    "rate that is too high. To go on without an error, use a rule with "
                    'on_floor="warn".'
                )
            where = f"at its floor, {watched.floor:g}" if watched.has_floor else "below 1"
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
            _logger.warning("%s", message)


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
