# SPDX-License-Identifier: Apache-2.0
"""A Keras callback that watches the loss scale while a model trains."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from compat_lossscale._require import require_tensorflow
from compat_lossscale.errors import CompatLossScaleError, LossScaleArgumentError
from compat_lossscale.update_rule import PYTHON, next_state

require_tensorflow(__name__)

import tensorflow as tf  # noqa: E402  # after the check
import tf_keras  # noqa: E402  # after the check

__all__ = ["LossScaleLogger"]

FLOOR = 1.0
"""No dynamic loss scale shrinks below it."""
_DEFAULT_MULTIPLIER = 2.0
"""That of every optimizer that cannot say another one."""
_SCALAR = tf.compat.v1.SummaryMetadata(
    plugin_data=tf.compat.v1.SummaryMetadata.PluginData(plugin_name="scalars")
)
"""What tells TensorBoard that a summary is a number."""


class LossScaleLogger(tf_keras.callbacks.Callback):
    """Puts the state of the loss scale into Keras' logs, and warns when it is stuck.

    At the end of each epoch, and on every `every`-th batch if asked, `logs` gets

    - `loss_scale`, the current value;
    - `good_steps`, the good steps in a row since the value last changed: at
      `dynamic_growth_steps` of them it grows. Not for fixed loss scales;
    - `skipped_steps`, the steps skipped so far: since the optimizer was made; around an optimizer
      that does not count them, since training began, and only with `every=1`, when it can be told
      from the other two.

    So `History` has them, and callbacks that stand behind this one can use them. It works with the
    loss-scale optimizers of this package, of tf-keras, and of Keras 3 on TensorFlow. Those that
    `Model.compile` wraps under the policy `mixed_float16` are among them::

        history = model.fit(x, y, callbacks=[compat_lossscale.callbacks.LossScaleLogger()])
        history.history["loss_scale"]

    It warns of a loss scale that is stuck at its floor or its cap, once each, through TensorFlow's
    logger. An optimizer of this package says that itself as soon as it happens, wherever it can;
    what it said is not said again.

    Args:
        every: Also look after every so many batches of an epoch. Each look reads up to four
            scalars; between looks nothing is read.
        log_dir: Folder to write summaries for TensorBoard to, by the optimizer's `iterations`.
        writer: A `tf.summary` writer to write them with, instead of `log_dir`.
        optimizer: The optimizer to watch; by default, that of the model.

    Raises:
        ValueError: `every` is no positive whole number, or `log_dir` and `writer` are both given,
            or one is given while eager execution is off.
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
        # Its hooks read no logs, so Keras need not turn them into numbers for it.
        self._supports_tf_logs = True
        self.every = _checked_every(every)
        self._writer = _checked_writer(log_dir, writer)
        self._optimizer = optimizer
        self._watched: _Watched | None = None
        self._batches = 0
        self._warned: set[str] = set()
        self._history: dict[str, list[float]] = {}

    @property
    def history(self) -> dict[str, list[float]]:
        """What was seen at each look, by name, as `History.history` has it, with `step` besides.

        `step` is the optimizer's `iterations`. It counts skipped steps too, except in Keras 3 and
        TensorFlow 2.0 to 2.2.
        """
        return self._history

    def observe(self) -> dict[str, float]:
        """Looks now. For loops without `Model.fit`, with `optimizer` given.

        Returns:
            What goes into the logs; nothing if the optimizer has no loss scale.
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
        """Looks where the loss scale starts; the history begins after that."""
        del logs
        self._watched = None
        self._history.clear()
        self._watch()

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Counts batches from here."""
        del epoch, logs
        self._batches = 0

    def on_train_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """Looks if it is time to."""
        before, self._batches = self._batches, batch + 1
        # With steps_per_execution there is one call for several batches.
        if self.every and self._batches // self.every > before // self.every:
            _put(self.observe(), logs)

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Looks."""
        del epoch
        _put(self.observe(), logs)

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        """Writes out the summaries."""
        del logs
        if self._writer is not None:
            self._writer.flush()

    def _watch(self) -> _Watched | None:
        optimizer = self._optimizer
        if optimizer is None:
            optimizer = getattr(self.model, "optimizer", None)
        if self._watched is None or self._watched.optimizer is not optimizer:
            self._watched = None
            if _loss_scale_of(optimizer) is None:
                self._warn_once(
                    "none",
                    f"LossScaleLogger: the optimizer, {type(optimizer).__name__}, has no loss "
                    "scale, so nothing is logged. Wrap it in a LossScaleOptimizer, or set the "
                    "policy mixed_float16 before the model is made.",
                )
                return None
            self._watched = _Watched(optimizer, counts_itself=self.every == 1)
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
        self, watched: _Watched, before: dict[str, float], seen: dict[str, float]
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
                "too high, and for values beyond 65504, the largest float16; "
                "tf.debugging.enable_check_numerics() names the operation.",
            )
        if watched.is_at_cap(scale):
            self._warn_once(
                "cap",
                f"LossScaleLogger: the loss scale is at its cap, {scale:.3g} (step "
                f"{seen['step']:.0f}): it would be infinite if it grew once more. No gradient ever "
                "overflowed on the way there. See whether the gradients are all zero, and whether "
                "anything computes in float16; if nothing does, no loss scale is needed.",
            )

    def _warn_once(self, what: str, message: str) -> None:
        if what not in self._warned:
            self._warned.add(what)
            tf.get_logger().warning("%s", message)


class _Watched:
    """An optimizer's loss scale, and what it was when it was last looked at."""

    def __init__(self, optimizer: Any, *, counts_itself: bool) -> None:
        self.optimizer = optimizer
        self.is_of_keras_3 = _is_of_keras_3(optimizer)
        loss_scale = _loss_scale_of(optimizer)
        self.growth_steps: Any = getattr(optimizer, "dynamic_growth_steps", None) or getattr(
            loss_scale, "increment_period", None
        )
        self.multiplier = getattr(loss_scale, "multiplier", _DEFAULT_MULTIPLIER)
        self.is_dynamic = self.growth_steps is not None
        self.seen: dict[str, float] | None = None
        self._read = _reader(optimizer)
        counts = counts_itself and self.is_dynamic and _skipped_steps_of(optimizer) is None
        self._skipped: int | None = 0 if counts else None
        self._looks = 0

    def look(self) -> dict[str, float]:
        before, seen = self.seen, self._read()
        self._looks += 1
        seen.setdefault("step", self._looks)
        if self._skipped is not None:
            if before is not None and self.has_stepped(before, seen):
                self._skipped += not self._was_good(before, seen)
            seen["skipped_steps"] = self._skipped
        self.seen = seen
        return seen

    def has_stepped(self, before: dict[str, float], seen: dict[str, float]) -> bool:
        """Whether there was a step between two looks."""
        if seen["step"] != before["step"]:
            return True
        # Keras 3 does not count a skipped step, but halves the loss scale.
        return self.is_of_keras_3 and seen["loss_scale"] != before["loss_scale"]

    def _was_good(self, before: dict[str, float], seen: dict[str, float]) -> bool:
        """Whether the one step between two looks was applied: then the update rule says so."""
        if self.is_of_keras_3:
            return seen["step"] != before["step"]
        state = next_state(
            before["loss_scale"],
            int(before["good_steps"]),
            True,
            growth_steps=self.growth_steps,
            multiplier=self.multiplier,
        )
        return state == (seen["loss_scale"], seen["good_steps"])

    def is_at_floor(self, before: dict[str, float], seen: dict[str, float]) -> bool:
        """Whether the scale is at its floor and steps were skipped there since the last look."""
        if not self.is_dynamic or seen["loss_scale"] > FLOOR:
            return False
        if self.is_of_keras_3:
            # There is no floor. Below 1 it has overflowed at 1, or in the forward pass.
            return seen["loss_scale"] < min(before["loss_scale"], FLOOR)
        if "skipped_steps" not in seen:
            return seen["good_steps"] == 0
        # So many steps brought it down to the floor.
        scale = max(before["loss_scale"], FLOOR)
        needed = math.ceil(math.log(scale, self.multiplier)) if self.multiplier > 1 else 0
        return seen["skipped_steps"] - before["skipped_steps"] > needed

    def is_at_cap(self, scale: float) -> bool:
        return self.is_dynamic and not PYTHON.is_finite(PYTHON.float32(scale * self.multiplier))


def _is_of_keras_3(optimizer: Any) -> bool:
    """Whether it is Keras 3's LossScaleOptimizer."""
    return hasattr(optimizer, "scale_loss") and hasattr(optimizer, "dynamic_growth_steps")


def _state_of_keras_3(optimizer: Any) -> dict[str, float]:
    """The state of Keras 3's LossScaleOptimizer, which has no variables before its first step."""
    return {
        "step": int(optimizer.iterations.numpy()),
        "loss_scale": float(_loss_scale_of(optimizer)),
        "good_steps": int(optimizer.step_counter.numpy()) if optimizer.built else 0,
    }


def _loss_scale_of(optimizer: Any) -> Any:
    """An optimizer's loss scale: a tensor or a LossScale; `None` if it has none."""
    if _is_of_keras_3(optimizer):
        return optimizer.dynamic_scale.numpy() if optimizer.built else optimizer.initial_scale
    for name in ("loss_scale", "_loss_scale"):
        found = getattr(optimizer, name, None)
        if found is not None:
            return found
    return None


def _skipped_steps_of(optimizer: Any) -> Any:
    """An optimizer's count of skipped steps; `None` if it does not count them."""
    try:
        return getattr(optimizer, "skipped_steps", None)
    except CompatLossScaleError:
        # In the graphs of TensorFlow 1 they are not counted.
        return None


def _reader(optimizer: Any) -> Callable[[], dict[str, float]]:
    """Returns what reads an optimizer's state."""
    if _is_of_keras_3(optimizer):
        return lambda: _state_of_keras_3(optimizer)

    def tensors() -> dict[str, Any]:
        loss_scale = _loss_scale_of(optimizer)
        good_steps = getattr(loss_scale, "good_steps", None)
        found = {
            "step": getattr(optimizer, "iterations", None),
            "loss_scale": loss_scale() if callable(loss_scale) else loss_scale,
            "good_steps": getattr(optimizer, "dynamic_counter", good_steps),
            "skipped_steps": _skipped_steps_of(optimizer),
        }
        return {name: value for name, value in found.items() if value is not None}

    if tf.executing_eagerly():
        return lambda: _values(tensors())
    # In a graph they are made once, and evaluated often.
    made = tensors()
    return lambda: _values(made)


def _values(tensors: dict[str, Any]) -> dict[str, float]:
    found = {name: tf_keras.backend.get_value(value) for name, value in tensors.items()}
    return {
        name: float(value) if name == "loss_scale" else int(value) for name, value in found.items()
    }


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
            "Summaries are written in eager mode only, which is switched off here. Leave out "
            '"log_dir" and "writer", and use the history.'
        )
    return writer if writer is not None else tf.summary.create_file_writer(str(log_dir))
