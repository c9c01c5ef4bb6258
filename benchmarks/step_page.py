# SPDX-License-Identifier: Apache-2.0
"""The training step's part of the performance page, made from its results.

python -m benchmarks.step_page
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import plain
from benchmarks.growth import floor
from benchmarks.step import AGAIN, RESULTS

PAGE = RESULTS.with_suffix(".md")
PLOT = RESULTS.with_name("step_growth.svg")
_COLOURS = {"bare": "#777777", "stock": "#c2571a", "ours": "#1f6fb4"}
_NAMES = {"bare": "bare optimizer", "stock": "tf-keras", "ours": "compat-lossscale"}


def text(results: dict[str, Any]) -> str:
    """Returns the tables, in Markdown."""
    return "\n".join(_lines(results)) + "\n"


def _lines(results: dict[str, Any]) -> Iterator[str]:
    yield "<!-- Made by `python -m benchmarks.step_page`; do not edit. -->"
    machine = results["machine"]
    packages = ", ".join(f"{name} {version}" for name, version in machine["packages"].items())
    yield (
        f"{machine['processor']}, {machine['processors']} processors, {machine['memory_gb']} GB, "
        f"Python {machine['python']}, {packages}. The load when this began was "
        f"{machine['load_before']:.1f}."
    )
    for mode in ("eager", "graph", "trace"):
        yield from _table(mode, [*results["steps"], results["fit"]])
    yield ""
    yield f"| Overhead ÷ tf-keras' | {' | '.join(plain.SHOWN.values())} |"
    yield f"| --- {'| --- ' * len(plain.SHOWN)}|"
    for mode, title in _TITLES.items():
        for row in results["plain"]:
            if not row.get(mode):
                continue
            shares = " | ".join(_figure(row[mode].get(name)) for name in plain.SHOWN)
            yield f"| {title}: {row['case']} | {shares} |"
    yield ""
    yield "| Peak memory of a process, MB | bare | tf-keras | ours |"
    yield "| --- | --- | --- | --- |"
    for row in results["memory"]:
        figures = " | ".join(f"{row[name]:,.0f}" for name in _NAMES)
        yield f"| {row['case']} | {figures} |"


def _figure(share: float | None) -> str:
    return "" if share is None else f"{share:.2f}"


_TITLES = {"eager": "Eager step", "graph": "Step in a graph", "trace": "Tracing the step"}


def _table(mode: str, rows: list[dict[str, Any]]) -> Iterator[str]:
    yield ""
    yield (
        f"| {_TITLES[mode]} | bare, µs | tf-keras ÷ bare | ours ÷ bare "
        "| overhead, ours ÷ tf-keras |"
    )
    yield "| --- | --- | --- | --- | --- |"
    for row in rows:
        if mode not in row:
            continue
        figures = row[mode]
        yield (
            f"| {row['case']} | {figures['bare_us']:,.0f} | {figures['stock']['median']:.2f} | "
            f"{figures['ours']['median']:.2f} | {_share(figures)} |"
        )


def _share(figures: dict[str, Any]) -> str:
    """Our overhead as a share of tf-keras', if that is more than the spread of its own rounds."""
    if figures["stock"]["low"] <= 1:
        return "tf-keras' own is within the spread"
    spread = figures["overhead"]
    return f"**{spread['median']:.2f}** ({spread['low']:.2f} to {spread['high']:.2f})"


def repeated(results: dict[str, Any], again: dict[str, Any]) -> str:
    """Says how far a second run gave the same ratios."""
    pairs = [
        (first[mode]["overhead"], second[mode]["overhead"])
        for first, second in zip(
            [*results["steps"], results["fit"]], [*again["steps"], again["fit"]], strict=True
        )
        for mode in _TITLES
        if mode in first
    ]
    within = sum(a["low"] <= b["median"] <= a["high"] for a, b in pairs)
    overlap = sum(a["low"] <= b["high"] and b["low"] <= a["high"] for a, b in pairs)
    return (
        f"Of {len(pairs)} ratios, {within} of a second run are within the brackets shown here, and "
        f"{overlap} have brackets that overlap with these.\n"
    )


def plot(results: dict[str, Any], path: Path) -> None:
    """Draws the step's time against the number of variables, and against their size."""
    import matplotlib as mpl  # noqa: PLC0415  # only for this

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "step"
    import matplotlib.pyplot as plt  # noqa: PLC0415  # an extra

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
    second = json.loads(AGAIN.read_text())
    PAGE.write_text(f"{text(found)}\n{repeated(found, second)}", encoding="utf-8")
    plot(found, PLOT)
