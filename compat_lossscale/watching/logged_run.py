# SPDX-License-Identifier: Apache-2.0
"""A logged training run, read from a logger, a history, a dictionary or a CSV file."""

from __future__ import annotations

import csv
import dataclasses
import itertools
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from compat_lossscale.errors import LossScaleArgumentError
from compat_lossscale.spec import LossScaleRule
from compat_lossscale.watching.run_setting import RunSetting

_NUMBERS = ("epoch", "step", "loss_scale", "good_steps", "skipped_steps", "loss", "overflow_share")


@dataclasses.dataclass(frozen=True)
class FirstOverflow:
    """The gradient that overflowed first in a step.

    Attributes:
        place: The step or epoch.
        variable: The name of its variable.
        share: The share of its elements that were not finite.
        is_of_last_layer: Whether it is of the last layer; false if that is not known.
    """

    place: float
    variable: str
    share: float
    is_of_last_layer: bool = False


@dataclasses.dataclass(frozen=True)
class LoggedRun:
    """The logged values of a run, one row for each time of logging.

    Attributes:
        unit: `step` or `epoch`, by which the rows are numbered.
        places: The number of each row.
        scales: The loss scale.
        steps: The steps since the row before; `None` if they are not known.
        skips: The steps skipped since the row before; `None` if they are not known.
        losses: The loss, if it was logged.
        overflows: The gradients that overflowed first, if they were asked for.
        setting: What is known beside the values.
    """

    unit: str
    places: tuple[float, ...]
    scales: tuple[float, ...]
    steps: tuple[int, ...] | None
    skips: tuple[int, ...] | None
    losses: tuple[float, ...]
    overflows: tuple[FirstOverflow, ...]
    setting: RunSetting

    @classmethod
    def of(cls, source: Any, rule: LossScaleRule | None = None) -> LoggedRun:
        """Reads a run.

        Args:
            source: See `loss_scale_report`.
            rule: The rule of its loss scale, if the source does not have it.

        Raises:
            LossScaleArgumentError: It has no loss scale, or a value that is no number.
            OSError: It is a file that cannot be read.
        """
        is_file = isinstance(source, str | os.PathLike)
        values = _of_csv(Path(source)) if is_file else values_of(source)
        setting = getattr(source, "_setting", None) or RunSetting()
        if rule is not None:
            setting = dataclasses.replace(
                RunSetting.of_rule(rule),
                counts_applied_steps=setting.counts_applied_steps,
                start=setting.start,
            )
        if setting.is_dynamic is None:
            moves = "good_steps" in values or any(values.get("skipped_steps", ()))
            moves = moves or len(set(values["loss_scale"])) > 1
            setting = dataclasses.replace(setting, is_dynamic=moves)
        unit, places = places_of(source, values)
        skips = _increments(values.get("skipped_steps"), setting.start.get("skipped_steps", 0))
        return cls(
            unit,
            tuple(places),
            tuple(values["loss_scale"]),
            _steps(source, values, skips, setting),
            skips,
            tuple(values.get("loss", ())),
            _overflows(source, values, places),
            setting,
        )

    @property
    def logs_every_step(self) -> bool:
        """Whether each row is one step."""
        return self.steps is not None and all(count == 1 for count in self.steps)


def values_of(history: Any) -> Mapping[str, Sequence[Any]]:
    """The logged values by name.

    Args:
        history: A `LossScaleLogger`, a `History`, or the dictionary of either.

    Raises:
        LossScaleArgumentError: There is no loss scale in it.
    """
    values = getattr(history, "history", history)
    if not isinstance(values, Mapping) or not len(values.get("loss_scale", ())):
        known = ""
        if isinstance(values, Mapping):
            known = f" It has: {', '.join(map(str, values)) or 'nothing'}."
        raise LossScaleArgumentError(
            f"There is no loss_scale in this {type(history).__name__}.{known} Train with a "
            "compat_lossscale.callbacks.LossScaleLogger among the callbacks, then pass the logger, "
            "or the History that fit() returns."
        )
    return values


def places_of(history: Any, values: Mapping[str, Sequence[Any]]) -> tuple[str, Sequence[float]]:
    """What the rows are numbered by, and their numbers."""
    if "step" in values:
        return "step", values["step"]
    count = len(values["loss_scale"])
    epochs = values.get("epoch") or getattr(history, "epoch", None) or range(count)
    # Keras counts from 0, and prints from 1.
    return "epoch", [epoch + 1 for epoch in epochs][-count:]


def _of_csv(path: Path) -> Mapping[str, Sequence[Any]]:
    """The columns of a file, as `CSVLogger` writes it."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        names = reader.fieldnames or ()
        if "loss_scale" not in names:
            raise LossScaleArgumentError(
                f"{path} has no column loss_scale. It has: {', '.join(names) or 'nothing'}. Put "
                "a LossScaleLogger before the CSVLogger in the list of callbacks."
            )
        columns: dict[str, list[Any]] = {name: [] for name in names}
        for row in reader:
            for name in names:
                text = row[name]
                is_number = name in _NUMBERS
                columns[name].append(
                    _number(text, name, path, reader.line_num) if is_number else text or None
                )
    if not columns["loss_scale"]:
        raise LossScaleArgumentError(f"{path} has no line below its header.")
    return columns


def _number(text: str | None, name: str, path: Path, line: int) -> float:
    try:
        return float(text or "")
    except ValueError:
        raise LossScaleArgumentError(
            f"{path}, line {line}: {name} is no number, but {text!r}."
        ) from None


def _increments(totals: Sequence[float] | None, start: float) -> tuple[int, ...] | None:
    if totals is None:
        return None
    # A counter that falls has begun again, with a new optimizer.
    return tuple(
        int(now - before if now >= before else now)
        for before, now in itertools.pairwise([start, *totals])
    )


def _steps(
    source: Any,
    values: Mapping[str, Sequence[float]],
    skips: tuple[int, ...] | None,
    setting: RunSetting,
) -> tuple[int, ...] | None:
    counted = _increments(values.get("step"), setting.start.get("step", 0))
    if counted is None:
        # `History` knows how many batches an epoch has.
        of_epoch = (getattr(source, "params", None) or {}).get("steps")
        return (int(of_epoch),) * len(values["loss_scale"]) if of_epoch else None
    if skips is None:
        return counted
    pairs = list(zip(counted, skips, strict=True))
    if setting.counts_applied_steps or any(skipped > steps for steps, skipped in pairs):
        return tuple(steps + skipped for steps, skipped in pairs)
    return counted


def _overflows(
    source: Any, values: Mapping[str, Sequence[Any]], places: Sequence[float]
) -> tuple[FirstOverflow, ...]:
    logged = getattr(source, "overflows", None)
    if logged:
        return tuple(
            FirstOverflow(one.step, one.first.variable, one.first.share, one.began_at_the_end)
            for one in logged
            if one.first is not None
        )
    names = values.get("overflow_variable", ())
    shares = values.get("overflow_share", ())
    return tuple(
        FirstOverflow(place, name, share)
        for place, name, share in zip(places, names, shares, strict=False)
        if name
    )
