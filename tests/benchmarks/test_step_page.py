# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import step_page
from benchmarks.step import RESULTS
from benchmarks.step_page import PAGE, dynamic_overheads, rows_above_one, text

MACHINE = {
    "processor": "Any",
    "processors": 2,
    "memory_gb": 8,
    "python": "3.11",
    "packages": {"tensorflow": "2.21.0"},
    "load_before": 0.25,
}


def figures(overhead: float, *, spread: float = 0.1, stock_low: float = 1.9) -> dict[str, Any]:
    return {
        "bare_us": 1000.0,
        "stock": {"median": 2.0, "low": stock_low, "high": 2.1},
        "ours": {"median": 1 + overhead, "low": 1.0, "high": 2.0},
        "overhead": {"median": overhead, "low": overhead - spread, "high": overhead + spread},
    }


def results(*rows: dict[str, Any]) -> dict[str, Any]:
    memory = {"case": "legacy SGD, graph", "bare": 700.0, "stock": 800.0, "ours": 750.4}
    return {"machine": MACHINE, "steps": list(rows), "memory": [memory]}


def test_the_page_is_made_from_the_results() -> None:
    assert PAGE.read_text(encoding="utf-8") == text(json.loads(RESULTS.read_text()))


def test_every_mode_has_a_table_with_its_rows() -> None:
    page = text(results({"case": "legacy, SGD, 1 x 100", "eager": figures(0.25)}))
    assert "Any, 2 processors, 8 GB, Python 3.11, tensorflow 2.21.0." in page
    assert "| legacy, SGD, 1 x 100 | 1,000 | 2.00 | 1.25 | 0.25 (0.15 to 0.35) |" in page
    assert "| Step in a graph | bare, µs |" in page
    assert "| legacy SGD, graph | 700 | 800 | 750 |" in page


def test_the_mean_is_that_of_the_rows_with_a_dynamic_loss_scale() -> None:
    rows = (
        {"case": "legacy, SGD, 1 x 100", "eager": figures(0.25), "graph": figures(0.5)},
        {"case": "new, SGD, 1 x 100", "eager": figures(-0.05)},
        {"case": "legacy, SGD, 100 x 100, fixed", "eager": figures(9.0)},
    )
    assert dynamic_overheads(list(rows), "eager") == [0.25, -0.05]
    page = text(results(*rows))
    assert "| Eager step | 2 | **0.10** | at most 0.5 |" in page
    assert "| Step in a graph | 1 | **0.50** | at most 0.75 |" in page
    assert "| Tracing the step | 1 |" not in page


def test_a_share_of_an_overhead_within_the_spread_is_neither_shown_nor_counted() -> None:
    row = {"case": "legacy, SGD, 1 x 100", "eager": figures(-15.5, stock_low=0.9)}
    page = text(results(row))
    assert "-15.5" not in page
    assert "| tf-keras' own is within the spread |" in page
    assert dynamic_overheads([row], "eager") == []


@pytest.mark.parametrize(("overhead", "is_above"), [(1.05, False), (1.2, True)])
def test_rows_above_one_beyond_their_spread_are_listed(overhead: float, is_above: bool) -> None:
    row = {"case": "legacy, SGD, 1 x 100", "graph": figures(overhead)}
    assert bool(rows_above_one([row], "graph")) == is_above
    page = text(results(row))
    assert ("- Step in a graph, legacy, SGD, 1 x 100: 1.20 (1.10 to 1.30)" in page) == is_above
    assert ("No row is above 1.0 beyond its spread." in page) != is_above


def test_the_plot_is_drawn_from_the_results(tmp_path: Path) -> None:
    times = {"bare": 0.001, "stock": 0.002, "ours": 0.0015}
    growth = {
        "variables": [{"variables": n, **times} for n in (10, 20)],
        "bytes": [{"bytes": n, **times} for n in (2**20, 2**22)],
        "copy_bytes_per_second": 1e10,
    }
    step_page.plot({"growth": growth}, tmp_path / "plot.svg")
    assert "compat-lossscale" in (tmp_path / "plot.svg").read_text()


def test_the_plot_of_overheads_has_each_mean(tmp_path: Path) -> None:
    row = {"case": "any", **{mode: figures(0.5) for mode in step_page.TITLES}}
    step_page.plot_overheads(results(row), tmp_path / "plot.svg")
    drawn = (tmp_path / "plot.svg").read_text(encoding="utf-8")
    assert drawn.count("<!-- 0.50 -->") == len(step_page.TITLES)
    assert "<!-- tf-keras -->" in drawn
