# SPDX-License-Identifier: Apache-2.0
"""The codemod's part of the performance page, made from its results.

python -m benchmarks.codemod_page
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.codemod import RESULTS

PAGE = RESULTS.with_suffix(".md")
PLOT = RESULTS.with_name("codemod_growth.svg")
RIVALS_PLOT = RESULTS.with_name("codemod_rivals.svg")


def text(results: dict[str, Any]) -> str:
    """Returns the tables, in Markdown."""
    return "\n".join(_lines(results)) + "\n"


def _lines(results: dict[str, Any]) -> Iterator[str]:
    yield "<!-- Made by `python -m benchmarks.codemod_page`; do not edit. -->"
    machine = results["machine"]
    yield (
        f"On {machine['processor']}, {machine['processors']} processors, Python "
        f"{machine['python']}. Medians, with the middle half of the rounds in brackets. Processor "
        "seconds are those of all processes together. The load when this began was "
        f"{machine['load_before']:.1f}."
    )
    yield ""
    yield "| Start-up | seconds | processor seconds |"
    yield "| --- | --- | --- |"
    for name, row in results["start-up"].items():
        yield f"| {name} | {_spread(row['seconds'])} | {_spread(row['processor_seconds'])} |"
    yield ""
    yield (
        "| Tree | Python files | with a marker | of these, changed | reading all, "
        "processor seconds | `migrate` | times reading | times the wall | peak memory |"
    )
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for name in ("Python", "site-packages", "tf-keras"):
        row = results[name]
        reading, ours = row["reading"], row["migrate"]
        yield (
            f"| {name} | {row['files']:,} | {row['with a marker']} | "
            f"{row['found']['files changed']} | {_spread(reading['processor_seconds'])} | "
            f"{_spread(ours['processor_seconds'])} | {_spread(row['ratio']['processor_seconds'])} "
            f"| {_spread(row['ratio']['seconds'])} | {ours['peak_mb']:.0f} MB |"
        )
    yield ""
    yield (
        "| Generated files | with an old name | seconds | processor seconds | a file "
        "| peak memory |"
    )
    yield "| --- | --- | --- | --- | --- | --- |"
    for row in results["growth"]:
        used = row["processor_seconds"]
        yield (
            f"| {row['files']:,} | {row['with an old name']} | {_spread(row['seconds'])} | "
            f"{_spread(used)} | {1e6 * used['median'] / row['files']:.0f} µs | "
            f"{row['peak_mb']:.0f} MB |"
        )
    yield ""
    yield "| Rival | Python files | its processor seconds | ours | times as long | times the wall |"
    yield "| --- | --- | --- | --- | --- | --- |"
    missing = []
    for row in results.get("rivals", ()):
        if "missing" in row:
            missing.append(f"{row['rival']}: {row['missing']}")
            continue
        own = _spread(row["ours"]["processor_seconds"])
        wall = _spread(row["ratio"]["seconds"])
        if not row["theirs"]["complete"]:
            # What the processes of a command that was cut off had used by then is not known.
            yield f"| {row['rival']} | {row['files']:,} | cut off | {own} | | more than {wall} |"
            continue
        used, more = row["theirs"]["processor_seconds"], row["ratio"]["processor_seconds"]
        yield (
            f"| {row['rival']} | {row['files']:,} | {_spread(used)} | {own} | {_spread(more)} "
            f"| {wall} |"
        )
    for line in missing:
        yield ""
        yield f"Not compared with {line}."


def _spread(spread: dict[str, float]) -> str:
    low, median, high = (spread[key] for key in ("low", "median", "high"))
    return f"{median:.3g}" if low == high else f"{median:.3g} ({low:.3g} to {high:.3g})"


def plot_rivals(results: dict[str, Any], path: Path) -> None:
    """Draws how many times as long as this codemod each rival takes for the same files."""
    plt = _pyplot()
    figure, axes = plt.subplots(figsize=(9, 2.6), layout="constrained")
    names = ["compat-lossscale migrate"]
    axes.barh(0, 1, color="#1f6fb4")
    for row in results.get("rivals", ()):
        if "missing" in row:
            continue
        times, place = row["ratio"]["seconds"]["median"], len(names)
        complete = row["theirs"]["complete"]
        axes.barh(place, times, color="#c2571a", alpha=1 if complete else 0.5)
        label = f"{times:.3g} times" if complete else f"more than {times:.3g} times (cut off)"
        axes.annotate(label, (times, place), (4, 0), textcoords="offset points", va="center")
        names.append(row["rival"].partition(",")[0])
    axes.set(
        yticks=range(len(names)),
        yticklabels=names,
        xlim=(0, 1.35 * axes.get_xlim()[1]),
        xlabel="wall time for the same files, as a multiple of ours",
    )
    axes.invert_yaxis()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def _pyplot() -> Any:
    import matplotlib as mpl  # noqa: PLC0415  # only for the plots

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "codemod"
    import matplotlib.pyplot as plt  # noqa: PLC0415  # an extra

    return plt


def plot(results: dict[str, Any], path: Path) -> None:
    """Draws time and memory against the number of files."""
    plt = _pyplot()
    rows = results["growth"]
    files = [row["files"] for row in rows]
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
    for key, label in (("processor_seconds", "processor seconds"), ("seconds", "seconds")):
        left.plot(files, [row[key]["median"] for row in rows], marker="o", label=label)
    left.set(xscale="log", yscale="log", xlabel="files", ylabel="seconds")
    left.legend()
    right.plot(files, [row["peak_mb"] for row in rows], marker="o")
    right.set(xscale="log", ylim=0, xlabel="files", ylabel="peak memory, MB")
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    found = json.loads(RESULTS.read_text())
    PAGE.write_text(text(found))
    plot(found, PLOT)
    plot_rivals(found, RIVALS_PLOT)
