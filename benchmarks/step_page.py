# SPDX-License-Identifier: Apache-2.0
"""The optimizer step's part of the performance page, made from its results.

python -m benchmarks.step_page
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.growth import floor
from benchmarks.step import RESULTS
from benchmarks.steps import CASES

PAGE = RESULTS.with_suffix(".md")
PLOT = RESULTS.with_name("step_growth.svg")
OVERHEAD_PLOT = RESULTS.with_name("step_overhead.svg")
TITLES = {"eager": "Eager step", "graph": "Step in a graph", "trace": "Tracing the step"}
GOALS = {"eager": 0.5, "graph": 0.75, "trace": 0.75}
"""The highest mean of our overhead as a share of tf-keras', with a dynamic loss scale."""
_FIXED = {case.name for case in CASES if case.fixed}
_COLOURS = {"bare": "#777777", "stock": "#c2571a", "ours": "#1f6fb4"}
_NAMES = {"bare": "bare optimizer", "stock": "tf-keras", "ours": "compat-lossscale"}

Row = dict[str, Any]


def text(results: dict[str, Any]) -> str:
    """Returns the tables, in Markdown."""
    return "\n".join(_lines(results)) + "\n"


def _lines(results: dict[str, Any]) -> Iterator[str]:
    yield "<!-- Made by `python -m benchmarks.step_page`; do not edit. -->"
    yield machine.sentences(results["machine"])
    for mode in TITLES:
        yield from _table(mode, results["steps"])
    yield from _means(results["steps"])
    if results.get("memory"):
        yield ""
        yield "| Peak memory of a process, MB | bare | tf-keras | ours |"
        yield "| --- | --- | --- | --- |"
    for row in results.get("memory", ()):
        figures = " | ".join(f"{row[name]:,.0f}" for name in _NAMES)
        yield f"| {row['case']} | {figures} |"


def _table(mode: str, rows: list[Row]) -> Iterator[str]:
    yield ""
    yield (
        f"| {TITLES[mode]} | bare, µs | tf-keras ÷ bare | ours ÷ bare | overhead, ours ÷ tf-keras |"
    )
    yield "| --- | --- | --- | --- | --- |"
    for row in rows:
        if mode not in row:
            continue
        figures = row[mode]
        overhead = (
            _spread(figures["overhead"])
            if _is_measurable(figures)
            else "tf-keras' own is within the spread"
        )
        yield (
            f"| {row['case']} | {figures['bare_us']:,.0f} | {figures['stock']['median']:.2f} | "
            f"{figures['ours']['median']:.2f} | {overhead} |"
        )


def _means(rows: list[Row]) -> Iterator[str]:
    yield ""
    yield "| Mean of the rows with a dynamic loss scale | rows | overhead, ours ÷ tf-keras | goal |"
    yield "| --- | --- | --- | --- |"
    for mode, title in TITLES.items():
        overheads = dynamic_overheads(rows, mode)
        if overheads:
            yield (
                f"| {title} | {len(overheads)} | **{statistics.mean(overheads):.2f}** "
                f"| at most {GOALS[mode]} |"
            )
    yield ""
    above = [
        f"{TITLES[mode]}, {row['case']}: {_spread(row[mode]['overhead'])}"
        for mode in TITLES
        for row in rows_above_one(rows, mode)
    ]
    if above:
        yield "Rows above 1.0 beyond their spread:"
        yield ""
        yield from (f"- {line}" for line in above)
    else:
        yield "No row is above 1.0 beyond its spread."


def dynamic_overheads(rows: list[Row], mode: str) -> list[float]:
    """Returns our overhead as a share of tf-keras' for each row with a dynamic loss scale.

    Args:
        rows: The rows of all tables.
        mode: One of `TITLES`. Rows without this mode, and rows in which tf-keras' overhead is
            within the spread, are left out.
    """
    return [
        row[mode]["overhead"]["median"]
        for row in rows
        if row["case"] not in _FIXED and mode in row and _is_measurable(row[mode])
    ]


def rows_above_one(rows: list[Row], mode: str) -> list[Row]:
    """Returns the rows in which our overhead is higher than tf-keras', beyond the spread.

    Args:
        rows: The rows of all tables.
        mode: One of `TITLES`.
    """
    return [
        row
        for row in rows
        if mode in row and _is_measurable(row[mode]) and row[mode]["overhead"]["low"] > 1
    ]


def _is_measurable(figures: dict[str, Any]) -> bool:
    """Whether tf-keras' overhead is more than the spread of its own rounds."""
    return bool(figures["stock"]["low"] > 1)


def _spread(figures: dict[str, float]) -> str:
    return f"{figures['median']:.2f} ({figures['low']:.2f} to {figures['high']:.2f})"


def plot_overheads(results: dict[str, Any], path: Path) -> None:
    """Draws what loss scaling adds to each step, ours as a share of tf-keras', with the means."""
    plt = _pyplot()
    figure, axes = plt.subplots(figsize=(9, 2.8), layout="constrained")
    for place, mode in enumerate(reversed(TITLES)):
        overheads = dynamic_overheads(results["steps"], mode)
        mean = statistics.mean(overheads)
        axes.barh(place, mean, height=0.55, color=_COLOURS["ours"], alpha=0.35)
        axes.plot(overheads, [place] * len(overheads), ".", color=_COLOURS["ours"])
        axes.annotate(f"{mean:.2f}", (mean, place), (6, 12), textcoords="offset points")
    axes.axvline(1, color=_COLOURS["stock"])
    axes.annotate("tf-keras", (1, 1), (4, -4), ("data", "axes fraction"), "offset points", va="top")
    axes.set(
        yticks=range(len(TITLES)),
        yticklabels=[*reversed(TITLES.values())],
        xlim=(min(0, axes.get_xlim()[0]), max(1.15, axes.get_xlim()[1])),
        xlabel="overhead of loss scaling, ours ÷ tf-keras: bars are means, dots are rows",
    )
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def _pyplot() -> Any:
    import matplotlib as mpl  # noqa: PLC0415  # only for the plots

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "step"
    import matplotlib.pyplot as plt  # noqa: PLC0415  # an extra

    return plt


def plot(results: dict[str, Any], path: Path) -> None:
    """Draws the step's time against the number of variables, and against their size."""
    plt = _pyplot()
    growth = results["growth"]
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    for axes, key, label in (
        (left, "variables", "variables of 100 elements"),
        (right, "bytes", "bytes of all gradients"),
    ):
        rows = growth[key]
        at = [row[key] for row in rows]
        for name, told in _NAMES.items():
            milliseconds = [1000 * row[name] for row in rows]
            axes.plot(at, milliseconds, marker="o", color=_COLOURS[name], label=told)
        axes.set(xscale="log", yscale="log", xlabel=label, ylabel="a step in a graph, ms")
    rows = [row for row in growth["bytes"] if row["bytes"] >= 2**20]
    floors = [
        1000 * (row["bare"] + list(floor(row["bytes"], growth["copy_bytes_per_second"]))[1])
        for row in rows
    ]
    at = [row["bytes"] for row in rows]
    right.plot(at, floors, linestyle=":", color="black", label="bare, and the memory's floor")
    left.legend()
    right.legend()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    found = json.loads(RESULTS.read_text())
    PAGE.write_text(text(found), encoding="utf-8")
    plot_overheads(found, OVERHEAD_PLOT)
    if "growth" in found:
        plot(found, PLOT)
