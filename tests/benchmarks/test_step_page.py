# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import copy
import json
from typing import Any

from benchmarks.step import AGAIN, RESULTS
from benchmarks.step_page import PAGE, repeated, text

RESULTS_READ = json.loads(RESULTS.read_text())


def test_the_page_is_made_from_the_results() -> None:
    again = json.loads(AGAIN.read_text())
    expected = f"{text(RESULTS_READ)}\n{repeated(RESULTS_READ, again)}"
    assert PAGE.read_text(encoding="utf-8") == expected


def test_a_second_run_is_held_against_the_first() -> None:
    def run(low: float, median: float, high: float) -> dict[str, Any]:
        overhead = {"low": low, "median": median, "high": high}
        return {"steps": [{"eager": {"overhead": overhead}}], "fit": {}}

    first = run(0.2, 0.3, 0.4)
    assert "Of 1 ratios, 1 of a second run" in repeated(first, run(0.1, 0.4, 0.5))
    assert "0 of a second run are within the brackets shown here, and 1 have" in repeated(
        first, run(0.4, 0.5, 0.6)
    )
    assert "0 of a second run are within the brackets shown here, and 0 have" in repeated(
        first, run(0.5, 0.6, 0.7)
    )


def test_a_share_of_what_cannot_be_measured_is_not_told() -> None:
    results = copy.deepcopy(RESULTS_READ)
    [row] = [row for row in results["steps"] if row["case"] == "legacy, SGD, 100 x 100"]
    row["eager"] |= {
        "stock": {"median": 1.01, "low": 0.9, "high": 1.1},
        "overhead": {"median": -15.5, "low": -1.0, "high": 1.0},
    }
    [line] = [
        line
        for line in text(results).splitlines()
        if line.startswith("| legacy, SGD, 100 x 100 |") and "1.01" in line
    ]
    assert line.endswith("| tf-keras' own is within the spread |")
