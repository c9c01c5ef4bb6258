# SPDX-License-Identifier: Apache-2.0
"""What the callbacks that watch a loss scale do, whichever Keras they are of."""

from __future__ import annotations

import contextlib
import importlib.util
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from compat_lossscale.errors import LossScaleArgumentError, LossScaleStuckError, MissingExtraError
from compat_lossscale.spec import LossScaleRule, ScaleState, next_state
from compat_lossscale.spec.update_rule import PYTHON
from compat_lossscale.watching.logged_run import RunSetting


def is_of_keras_3(optimizer: Any) -> bool:
    """Whether it is a LossScaleOptimizer of Keras 3: Keras' own, or this package's."""
    return hasattr(optimizer, "scale_loss") and hasattr(optimizer, "dynamic_growth_steps")


def state_of(optimizer: Any) -> dict[str, Any]:
    """Returns an optimizer's step, loss scale, good steps and skipped steps, as far as it has them.

    They are variables, tensors or numbers. An optimizer of Keras 3 has no variables before it is
    built.
    """
    loss_scale = loss_scale_of(optimizer)
    if is_of_keras_3(optimizer):
        # Keras' own wrapper has another variable for them up to 3.6, which stays 0.
        step = optimizer.inner_optimizer.iterations
        is_dynamic = optimizer.dynamic_growth_steps is not None
        good_steps = (optimizer.step_counter if optimizer.built else 0) if is_dynamic else None
    else:
        step = getattr(optimizer, "iterations", None)
        good_steps = getattr(optimizer, "dynamic_counter", getattr(loss_scale, "good_steps", None))
    state = {
        "step": step,
        "loss_scale": loss_scale() if callable(loss_scale) else loss_scale,
        "good_steps": good_steps,
        "skipped_steps": skipped_steps_of(optimizer),
    }
    return {name: value for name, value in state.items() if value is not None}


def _number_of(value: Any) -> Any:
    return value.numpy() if hasattr(value, "numpy") else value


def numbers_of(
    state: Mapping[str, Any], number_of: Callable[[Any], Any] = _number_of
) -> dict[str, float]:
    """Returns the values of such a state, of which the loss scale alone is no whole number."""
    return {
        name: float(number_of(value)) if name == "loss_scale" else int(number_of(value))
        for name, value in state.items()
    }


def loss_scale_of(optimizer: Any) -> Any:
    """Returns an optimizer's loss scale: a tensor or a LossScale; `None` if it has none."""
    if is_of_keras_3(optimizer):
        return optimizer.dynamic_scale.numpy() if optimizer.built else optimizer.initial_scale
    for name in ("loss_scale", "_loss_scale"):
        value = getattr(optimizer, name, None)
        if value is not None:
            return value
    return None


def skipped_steps_of(optimizer: Any) -> Any:
    """Returns an optimizer's count of skipped steps; `None` if it does not count them."""
    # In graphs of TensorFlow 1, and in Keras 3 on JAX, it has none: NotCountedError says so.
    return getattr(optimizer, "skipped_steps", None)


_logger = logging.getLogger("tensorflow")
"""What `tf.get_logger()` returns."""
_DEFAULT_MULTIPLIER = 2.0
"""The multiplier of optimizers that do not state one."""


class LoggingHooks:
    """The hooks of a Keras callback that adds the state of the loss scale to Keras' logs.

    A callback derives from this class and from its Keras' base class.
    """

    model: Any
    _reader_of: Callable[[Any], Callable[[], dict[str, float]]]
    """Is defined by the callbacks: gives what reads an optimizer's state."""

    def __init__(
        self,
        every: int | None = None,
        *,
        log_dir: str | Path | None = None,
        writer: Any = None,
        optimizer: Any = None,
    ) -> None:
        super().__init__()
        # Of tf-keras: the hooks do not read the logs, and add to those that `History` gets.
        self._supports_tf_logs = True
        if every is not None and (not isinstance(every, int) or every < 1):
            raise LossScaleArgumentError(
                f'"every" must be a positive whole number of batches, or None for epochs only, but '
                f"got: {every!r}."
            )
        self.every = every
        writes = log_dir is not None or writer is not None
        self._summaries = Summaries(log_dir, writer) if writes else None
        self._optimizer = optimizer
        self._watched: WatchedOptimizer | None = None
        self._batches = 0
        self._warned: set[str] = set()
        self._history: dict[str, list[Any]] = {}
        self._setting = RunSetting()

    @property
    def history(self) -> dict[str, list[Any]]:
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
            self._write(seen)
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
            start = self._watched.look() if self.model is not None else None
            self._setting = self._watched.setting(start or {})
        return self._watched

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
        floor, on_floor = watched.rule.min_scale, watched.rule.on_floor
        if on_floor != "ignore" and watched.is_at_floor(before, seen):
            # Others have raised by themselves, or have yet to count more steps.
            if on_floor == "raise" and skipped_steps_of(watched.optimizer) is None:
                raise LossScaleStuckError(
                    f"The loss scale is at the floor of its rule, {floor:g}, and a "
                    f"step was skipped (step {seen['step']:.0f}): a gradient is not finite even "
                    "there. "
                    "Look for a NaN or an infinity in the loss and the inputs, or for a learning "
                    "rate that is too high. To go on without an error, use a rule with "
                    'on_floor="warn".'
                )
            where = f"at its floor, {floor:g}" if watched.has_floor else "below 1"
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


class WatchedOptimizer:
    """An optimizer's loss scale, and its value at the last observation.

    It counts skipped steps itself, if it is to and the optimizer does not. That needs an
    observation after every step.
    """

    def __init__(
        self, optimizer: Any, read: Callable[[], dict[str, float]], *, counts_itself: bool
    ) -> None:
        self.optimizer = optimizer
        self.counts_applied_steps = is_of_keras_3(optimizer) and not getattr(
            optimizer, "_counts_skipped_too", False
        )
        self.has_floor = not is_of_keras_3(optimizer) or hasattr(optimizer, "get_scaled_loss")
        loss_scale = loss_scale_of(optimizer)
        growth_steps = getattr(optimizer, "dynamic_growth_steps", None) or getattr(
            loss_scale, "increment_period", None
        )
        self.is_dynamic = growth_steps is not None
        # Numbers that no rule has, such as a multiplier of 1, are not watched for.
        self._default_rule = LossScaleRule()
        if growth_steps is not None:
            multiplier = getattr(loss_scale, "multiplier", _DEFAULT_MULTIPLIER)
            with contextlib.suppress(LossScaleArgumentError):
                self._default_rule = LossScaleRule.tensorflow(
                    increment_period=growth_steps, multiplier=multiplier
                )
        self.seen: dict[str, float] | None = None
        self._read = read
        counts = counts_itself and self.is_dynamic and skipped_steps_of(optimizer) is None
        self._skipped: int | None = 0 if counts else None
        self._left: int | None = None
        self._looks = 0

    def setting(self, start: dict[str, float]) -> RunSetting:
        """Returns what is known of a run, given the state before its first step."""
        return RunSetting(
            self.rule, self.is_dynamic, self.has_floor, self.counts_applied_steps, dict(start)
        )

    def look(self) -> dict[str, float]:
        """Returns `step` and `loss_scale` now, and `good_steps` and `skipped_steps` if known."""
        before, seen = self.seen, self._read()
        self._looks += 1
        seen.setdefault("step", self._looks)
        if self._skipped is not None:
            # A variable of Keras 3's, if its rule tolerates bad steps and the optimizer is built.
            variable = getattr(self.optimizer, "hysteresis_left", None)
            left, self._left = self._left, None if variable is None else int(variable.numpy())
            # A bad step that a rule tolerates changes nothing else.
            tolerated = None not in (left, self._left) and left != self._left
            if before is not None and (tolerated or self.has_stepped(before, seen)):
                self._skipped += not self._was_good(before, seen)
            seen["skipped_steps"] = self._skipped
        self.seen = seen
        return seen

    def has_stepped(self, before: dict[str, float], seen: dict[str, float]) -> bool:
        """Whether there was a step between two observations."""
        if seen["step"] != before["step"]:
            return True
        # Keras 3 does not count a skipped step, but it changes one of these.
        known = ("loss_scale", "good_steps", "skipped_steps")
        both = [name for name in known if name in seen and name in before]
        return any(seen[name] != before[name] for name in both)

    def _was_good(self, before: dict[str, float], seen: dict[str, float]) -> bool:
        """Whether the step between two observations was applied, by the update rule."""
        if self.counts_applied_steps:
            return seen["step"] != before["step"]
        state = ScaleState(before["loss_scale"], int(before["good_steps"]))
        after = next_state(state, True, self.rule.numbers)
        return (after.scale, after.good_steps) == (seen["loss_scale"], seen["good_steps"])

    @property
    def rule(self) -> LossScaleRule:
        """The rule by which the loss scale moves: the optimizer's, which may change, or a default.

        Optimizers of tf-keras and Keras state none.
        """
        stated = getattr(self.optimizer, "loss_scale_rule", None)
        return self._default_rule if stated is None else stated

    def is_at_floor(self, before: dict[str, float], seen: dict[str, float]) -> bool:
        """Whether steps were skipped since the last observation, and the scale was at its floor."""
        floor = self.rule.min_scale
        if not self.is_dynamic or seen["loss_scale"] > floor:
            return False
        if not self.has_floor:
            # It is Keras 3's own. Below 1 it has overflowed at 1, or in the forward pass.
            return seen["loss_scale"] < min(before["loss_scale"], floor)
        if "skipped_steps" not in seen:
            return seen["good_steps"] == 0
        # What shrank it down to the floor is another matter.
        was_there = before["loss_scale"] <= floor
        return was_there and seen["skipped_steps"] > before["skipped_steps"]

    def is_at_cap(self, scale: float) -> bool:
        """Whether a loss scale would be infinite if it grew again, and no rule has a cap."""
        if not self.is_dynamic:
            return False
        numbers = self.rule.numbers
        grown = PYTHON.float32(scale * numbers.growth_factor)
        return numbers.max_scale is None and not PYTHON.is_finite(grown)


class Summaries:
    """Writes numbers for TensorBoard, with a `tf.summary` writer or into a folder."""

    def __init__(self, log_dir: str | Path | None, writer: Any) -> None:
        if not importlib.util.find_spec("tensorflow"):
            raise MissingExtraError(
                "LossScaleLogger writes summaries with TensorFlow, which is not installed: "
                "pip install tensorflow"
            )
        import tensorflow as tf  # noqa: PLC0415  # programs on JAX and PyTorch do without

        if log_dir is not None and writer is not None:
            raise LossScaleArgumentError(
                'Summaries go to one place: give "log_dir" or "writer", not both.'
            )
        if not tf.executing_eagerly():
            raise LossScaleArgumentError(
                "Summaries are written in eager mode only, which is switched off here. Leave out "
                '"log_dir" and "writer", and use the history.'
            )
        self._tf = tf
        self._writer = tf.summary.create_file_writer(str(log_dir)) if writer is None else writer
        proto = tf.compat.v1.SummaryMetadata
        # What tells TensorBoard that a summary is a number. `tf.summary.scalar` needs TensorBoard.
        self._scalar = proto(plugin_data=proto.PluginData(plugin_name="scalars"))

    def write(self, name: str, value: float, step: float) -> None:
        """Writes a number."""
        with self._writer.as_default():
            self._tf.summary.write(name, self._tf.constant(value, "float32"), step, self._scalar)

    def flush(self) -> None:
        """Writes out what is still in memory."""
        self._writer.flush()
