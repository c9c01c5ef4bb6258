# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import copy
import json

from benchmarks.step import RESULTS
from benchmarks.step_page import PAGE, text

RESULTS_READ = json.loads(RESULTS.read_text())


def test_the_page_is_made_from_the_results() -> None:
    assert PAGE.read_text(encoding="utf-8") == text(RESULTS_READ)


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
