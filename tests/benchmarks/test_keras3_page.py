# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks.keras3_page import PAGE, RESULTS, text

MACHINE = {
    "processor": "Any",
    "processors": 2,
    "memory_gb": 8,
    "python": "3.11",
    "packages": {"keras": "3.15.1"},
    "load_before": 0.25,
}


def row(overhead: float, *, spread: float = 0.1, stock_low: float = 1.9) -> dict[str, Any]:
    share = {"median": overhead, "low": overhead - spread, "high": overhead + spread}
    stock = {"median": 2.0, "low": stock_low, "high": 2.1}
    return {
        "case": "SGD, 1 x 100",
        "mode": "eager",
        "bare_us": 1000.0,
        "stock": stock,
        "keras3": share,
        "tf24": {"median": 0.5, "low": 0.4, "high": 0.6},
    }


def page(*rows: dict[str, Any]) -> str:
    return text({"machine": MACHINE, "steps": list(rows)})


def test_the_page_is_made_from_the_results() -> None:
    assert PAGE.read_text(encoding="utf-8") == text(json.loads(RESULTS.read_text()))


def test_a_row_has_the_share_of_both_protocols_and_the_mean_is_of_both() -> None:
    made = page(row(0.7))
    assert "Any, 2 processors, 8 GB, Python 3.11, keras 3.15.1." in made
    assert (
        "| SGD, 1 x 100 | eager | 1,000 | 2.00 | 0.70 (0.60 to 0.80) | 0.50 (0.40 to 0.60) |"
    ) in made
    assert "Mean: **0.60** (goal: at most 0.8)." in made


def test_a_share_of_an_overhead_within_the_spread_is_neither_shown_nor_counted() -> None:
    made = page(row(-15.5, stock_low=0.9), row(0.7))
    assert "-15.5" not in made
    assert "Mean: **0.60**" in made


@pytest.mark.parametrize(("overhead", "is_above"), [(1.15, False), (1.3, True)])
def test_rows_above_the_goal_beyond_their_spread_are_listed(
    overhead: float, is_above: bool
) -> None:
    made = page(row(overhead))
    assert ("- SGD, 1 x 100, eager, `scale_loss`, `apply`: 1.30 (1.20 to 1.40)" in made) == is_above
    assert ("No row is above 1.1 beyond its spread." in made) != is_above
