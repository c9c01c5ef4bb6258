# SPDX-License-Identifier: Apache-2.0
"""The whole training step's part of the performance page, made from its results.

python -m benchmarks.whole_page
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from typing import Any

from benchmarks import machine
from benchmarks.whole_steps import LOOPS, RESULTS

PAGE = RESULTS.with_suffix(".md")
_TITLES = {"fit": "`Model.fit`", "custom loop": "Custom loop"}


def text(results: dict[str, Any]) -> str:
    """Returns the tables, in Markdown."""
    return "\n".join(_lines(results)) + "\n"


def _lines(results: dict[str, Any]) -> Iterator[str]:
    yield "<!-- Made by `python -m benchmarks.whole_page`; do not edit. -->"
    yield machine.sentences(results["machine"])
    for loop in LOOPS:
        yield ""
        yield (
            f"| {_TITLES[loop]} | without loss scaling, ms of processor time "
            "| tf-keras' loss scaling adds "
            "| ours adds |"
        )
        yield "| --- | --- | --- | --- |"
        for row in results["steps"]:
            figures = row[loop]
            shares = " | ".join(_share(figures[name]) for name in ("stock", "ours"))
            yield f"| {row['case']} | {figures['bare_ms']:,.0f} | {shares} |"
    stock, ours = (
        statistics.mean(row[loop][name]["median"] for row in results["steps"] for loop in LOOPS)
        for name in ("stock", "ours")
    )
    yield ""
    yield (
        f"In the mean of all rows, tf-keras' loss scaling adds {100 * stock:.1f} % "
        f"and ours {100 * ours:.1f} %."
    )


def _share(spread: dict[str, float]) -> str:
    """A share in percent, marked where the middle half of the rounds includes zero."""
    median, low, high = (100 * spread[key] for key in ("median", "low", "high"))
    mark = ", within the spread" if low <= 0 <= high else ""
    return f"{median:.1f} % ({low:.1f} to {high:.1f}){mark}"


if __name__ == "__main__":
    PAGE.write_text(text(json.loads(RESULTS.read_text())), encoding="utf-8")
