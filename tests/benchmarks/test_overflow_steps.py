# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json

import pytest

from benchmarks.overflow_steps import PAGE, RESULTS, SMOKE, rounds_of, rows, text

pytestmark = pytest.mark.filterwarnings("ignore::compat_lossscale.errors.LossScaleStuckWarning")


def test_the_page_is_made_from_the_results() -> None:
    assert PAGE.read_text(encoding="utf-8") == text(json.loads(RESULTS.read_text()))


def test_each_mode_and_outcome_is_measured() -> None:
    measured = list(rows(SMOKE, rounds_of(SMOKE, rounds=2)))
    assert [row["step"] for row in measured] == [
        "eager, applied",
        "eager, skipped",
        "graph, applied",
        "graph, skipped",
    ]
    assert all(row["ratio"]["median"] > 0 for row in measured)
