# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from typing import Any

from benchmarks.whole_page import PAGE, text
from benchmarks.whole_steps import RESULTS
from tests.benchmarks.test_step_page import MACHINE


def figures(stock: tuple[float, ...], ours: tuple[float, ...]) -> dict[str, Any]:
    keys = ("median", "low", "high")
    return {
        "bare_ms": 123.4,
        "stock": dict(zip(keys, stock, strict=True)),
        "ours": dict(zip(keys, ours, strict=True)),
    }


def test_the_page_is_made_from_the_results() -> None:
    assert PAGE.read_text(encoding="utf-8") == text(json.loads(RESULTS.read_text()))


def test_a_share_whose_spread_includes_zero_is_marked() -> None:
    row = {
        "case": "ResNet-20",
        "fit": figures((0.08, 0.07, 0.09), (0.02, -0.01, 0.03)),
        "custom loop": figures((-0.02, -0.03, -0.01), (0.01, 0.005, 0.015)),
    }
    fit, custom_loop = (
        line
        for line in text({"machine": MACHINE, "steps": [row]}).splitlines()
        if line.startswith("| ResNet-20 |")
    )
    assert fit == (
        "| ResNet-20 | 123 | 8.0 % (7.0 to 9.0) | 2.0 % (-1.0 to 3.0), within the spread |"
    )
    assert custom_loop == "| ResNet-20 | 123 | -2.0 % (-3.0 to -1.0) | 1.0 % (0.5 to 1.5) |"
