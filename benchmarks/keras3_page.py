# SPDX-License-Identifier: Apache-2.0
"""The table of steps on Keras 3, made from its results.

python -m benchmarks.keras3_page
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import machine

RESULTS = Path(__file__).parent / "results" / "keras3.json"
PAGE = RESULTS.with_suffix(".md")
COLUMNS = {"keras3": "`scale_loss`, `apply`", "tf24": "`get_unscaled_gradients`"}
MEAN_GOAL, ROW_GOAL = 0.8, 1.1
"""The highest mean, and the highest row, of our overhead as a share of Keras' own."""


def text(results: dict[str, Any]) -> str:
    """Returns the tables, in Markdown."""
    return "\n".join(_lines(results)) + "\n"


def _lines(results: dict[str, Any]) -> Iterator[str]:
    rows = results["steps"]
    yield "<!-- Made by `python -m benchmarks.keras3_page`; do not edit. -->"
    yield machine.sentences(results["machine"])
    yield ""
    protocols = " | ".join(f"overhead, ours ÷ Keras' own: {told}" for told in COLUMNS.values())
    yield f"| Step | mode | bare, µs | Keras' own ÷ bare | {protocols} |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for row in rows:
        overheads = " | ".join(
            _spread(row[name]) if is_measurable(row) else "Keras' own is within the spread"
            for name in COLUMNS
        )
        yield (
            f"| {row['case']} | {row['mode']} | {row['bare_us']:,.0f} "
            f"| {row['stock']['median']:.2f} | {overheads} |"
        )
    shares = [row[name]["median"] for row in rows if is_measurable(row) for name in COLUMNS]
    yield ""
    yield f"Mean: **{statistics.mean(shares):.2f}** (goal: at most {MEAN_GOAL})."
    above = [
        f"{row['case']}, {row['mode']}, {COLUMNS[name]}: {_spread(row[name])}"
        for row in rows
        for name in COLUMNS
        if is_measurable(row) and row[name]["low"] > ROW_GOAL
    ]
    if above:
        yield f"Rows above {ROW_GOAL} beyond their spread:"
        yield ""
        yield from (f"- {line}" for line in above)
    else:
        yield f"No row is above {ROW_GOAL} beyond its spread."


def is_measurable(row: dict[str, Any]) -> bool:
    """Whether the overhead of Keras' own is more than the spread of its rounds."""
    return bool(row["stock"]["low"] > 1)


def _spread(figures: dict[str, float]) -> str:
    return f"{figures['median']:.2f} ({figures['low']:.2f} to {figures['high']:.2f})"


if __name__ == "__main__":
    PAGE.write_text(text(json.loads(RESULTS.read_text())), encoding="utf-8")
