# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import subprocess

import pytest

from benchmarks import apart
from benchmarks.steps import row


def test_the_rounds_of_all_processes_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def result_of(module: str, *arguments: str) -> dict[str, dict[str, list[int]]]:
        asked.append((module, *arguments))
        number = len(asked)
        return {"graph": {"bare": [number, number], "ours": [10 * number]}}

    monkeypatch.setattr(apart, "result_of", result_of)
    pooled = apart.pooled("benchmarks.steps", "3")
    first, *more = asked
    assert first == ("benchmarks.steps", "3")
    assert more == [(*first, apart.AGAIN)] * 2
    assert pooled == {"graph": {"bare": [1, 1, 2, 2, 3, 3], "ours": [10, 20, 30]}}


def test_a_row_is_made_of_all_rounds() -> None:
    taken = {"graph": {"bare": [1.0, 1.0, 1.0], "stock": [2.0, 3.0, 2.0], "ours": [1.5, 2.0, 1.5]}}
    found = row("case", taken)
    assert found["case"] == "case"
    assert found["graph"]["bare_us"] == pytest.approx(1e6)
    assert found["graph"]["stock"]["median"] == 2
    assert found["graph"]["overhead"]["median"] == pytest.approx(0.5)


def test_a_module_that_fails_is_no_result() -> None:
    with pytest.raises(subprocess.CalledProcessError):
        apart.result_of("benchmarks.no_such_module")
