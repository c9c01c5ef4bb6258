# SPDX-License-Identifier: Apache-2.0
"""A logged training run: read from a logger, a history or a dictionary; plotted."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compat_lossscale._atomic_file import replacing
from compat_lossscale.errors import LossScaleArgumentError, MissingExtraError
from compat_lossscale.spec import LossScaleRule

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SCALE, _SKIPS = "#2a6f97", "#c1121f"


@dataclasses.dataclass(frozen=True)
class RunSetting:
    """What is known of a run beside the logged values.

    Attributes:
        rule: The rule by which the loss scale moves; TensorFlow's, if it is not known.
        is_dynamic: Whether the loss scale can change; `None` if that is not known.
        has_floor: Whether the loss scale does not shrink below the floor of the rule.
        counts_applied_steps: Whether the optimizer does not count skipped steps in `iterations`.
        start: The state before the first step, in the form of the logged values; empty if the
            optimizer was new.
    """

    rule: LossScaleRule = dataclasses.field(default_factory=LossScaleRule)
    is_dynamic: bool | None = None
    has_floor: bool = True
    counts_applied_steps: bool = False
    start: dict[str, float] = dataclasses.field(default_factory=dict)

    @property
    def floor(self) -> float:
        """The lowest value of the loss scale; 0 if it has no floor."""
        return self.rule.min_scale if self.has_floor else 0.0

    @property
    def cap(self) -> float:
        """The highest value of the loss scale; if the rule has none, the largest finite one."""
        return 2.0**127 if self.rule.max_scale is None else self.rule.max_scale


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
        setting: What is known beside the values.
    """

    unit: str
    places: tuple[float, ...]
    scales: tuple[float, ...]
    steps: tuple[int, ...] | None
    skips: tuple[int, ...] | None
    losses: tuple[float, ...]
    setting: RunSetting

    @classmethod
    def of(cls, source: Any, rule: LossScaleRule | None = None) -> LoggedRun:
        """Reads a run."""
        values = values_of(source)
        setting = getattr(source, "_setting", None) or RunSetting()
        if rule is not None:
            setting = dataclasses.replace(setting, rule=rule, is_dynamic=True, has_floor=True)
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
            setting,
        )

    @property
    def logs_every_step(self) -> bool:
        """Whether each row is one step."""
        return self.steps is not None and all(count == 1 for count in self.steps)


def values_of(history: Any) -> Mapping[str, Sequence[Any]]:
    """The logged values by name."""
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


def plot_history(history: Any, path: str | Path | None = None) -> Figure:
    """Plots the loss scale and the skipped steps, over steps or epochs.

    Args:
        history: A `LossScaleLogger`, plotted over steps; the `History` that `Model.fit` returns,
            plotted over epochs; or the dictionary of either.
        path: A file to write the plot to. Its suffix is the format, `.png` without one.

    Returns:
        The matplotlib figure. It has no window, and you need not close it.

    Raises:
        MissingExtraError: matplotlib is not installed.
        ValueError: There is no loss scale in the history.
    """
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415  # an extra
    except ImportError as error:
        raise MissingExtraError(
            "compat_lossscale.plot_history() needs matplotlib (matplotlib not found): "
            "pip install matplotlib"
        ) from error
    values = values_of(history)
    scales, skipped = values["loss_scale"], values.get("skipped_steps")
    label, places = places_of(history, values)
    # The loss scale is constant between steps. Between epochs, it is not known.
    style = {"drawstyle": "steps-post"} if label == "step" else {"marker": "o", "markersize": 4}
    figure = Figure(figsize=(8, 5 if skipped else 3), layout="constrained")
    upper = figure.add_subplot(2 if skipped else 1, 1, 1)
    _draw(upper, "loss scale", places, scales, {"color": _SCALE, **style})
    if min(scales) > 0:
        upper.set_yscale("log", base=2)
    lowest = upper
    if skipped:
        _mark_skips(upper, places, scales, skipped)
        lowest = figure.add_subplot(2, 1, 2, sharex=upper)
        _draw(lowest, "steps skipped so far", places, skipped, {"color": _SKIPS, **style})
        lowest.set_ylim(bottom=0)
        lowest.locator_params(axis="y", integer=True)
        upper.tick_params(labelbottom=False)
    lowest.set_xlabel(label)
    if path is not None:
        form = Path(path).suffix[1:] or "png"
        with replacing(path) as temporary:
            figure.savefig(temporary, format=form, dpi=150)
    return figure


def _draw(
    axes: Axes,
    label: str,
    places: Sequence[float],
    values: Sequence[float],
    style: Mapping[str, Any],
) -> None:
    axes.plot(places, values, label=label, **style)
    axes.set_ylabel(label)
    axes.locator_params(axis="x", integer=True)
    axes.grid(alpha=0.3)


def _mark_skips(
    axes: Axes, places: Sequence[float], scales: Sequence[float], skipped: Sequence[float]
) -> None:
    pairs = enumerate(itertools.pairwise([skipped[0], *skipped]))
    new = [index for index, (before, now) in pairs if now > before]
    if new:
        axes.plot(
            [places[index] for index in new],
            [scales[index] for index in new],
            linestyle="",
            marker="v",
            markersize=8,
            color=_SKIPS,
            label="steps skipped",
        )
        axes.legend()
