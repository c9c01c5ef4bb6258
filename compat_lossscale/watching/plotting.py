# SPDX-License-Identifier: Apache-2.0
"""Plots the history of `LossScaleLogger`. Needs matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compat_lossscale._atomic_file import replacing
from compat_lossscale.errors import MissingExtraError
from compat_lossscale.watching.logged_run import places_of, values_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SCALE, _SKIPS = "#2a6f97", "#c1121f"


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
    _draw_scale(upper, places, scales, style)
    lowest = upper
    if skipped:
        _mark_skips(upper, places, scales, skipped)
        lowest = figure.add_subplot(2, 1, 2, sharex=upper)
        _draw_skips(lowest, places, skipped, style)
        upper.tick_params(labelbottom=False)
    lowest.set_xlabel(label)
    if path is not None:
        _write(figure, Path(path))
    return figure


def _draw_scale(
    axes: Axes, places: Sequence[float], scales: Sequence[float], style: Mapping[str, Any]
) -> None:
    axes.plot(places, scales, color=_SCALE, label="loss scale", **style)
    axes.locator_params(axis="x", integer=True)
    if min(scales) > 0:
        axes.set_yscale("log", base=2)
    axes.set_ylabel("loss scale")
    axes.grid(alpha=0.3)


def _mark_skips(
    axes: Axes, places: Sequence[float], scales: Sequence[float], skipped: Sequence[float]
) -> None:
    new = [
        index
        for index, (before, now) in enumerate(zip([skipped[0], *skipped], skipped, strict=False))
        if now > before
    ]
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


def _draw_skips(
    axes: Axes, places: Sequence[float], skipped: Sequence[float], style: Mapping[str, Any]
) -> None:
    axes.plot(places, skipped, color=_SKIPS, label="steps skipped so far", **style)
    axes.set_ylabel("steps skipped so far")
    axes.set_ylim(bottom=0)
    axes.locator_params(axis="y", integer=True)
    axes.grid(alpha=0.3)


def _write(figure: Figure, path: Path) -> None:
    with replacing(path) as temporary:
        figure.savefig(temporary, format=path.suffix[1:] or "png", dpi=150)
