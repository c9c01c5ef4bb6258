# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json

import pytest

from benchmarks.keras3_steps import CASES, PROTOCOLS, SMOKE, rows
from tests.support import python


@pytest.mark.nightly
@pytest.mark.parametrize("backend", ["tensorflow", "jax"])
def test_a_smoke_run_gives_a_row_for_each_mode(backend: str) -> None:
    done = python(
        "-m",
        "benchmarks.keras3_steps",
        "smoke",
        environment={"KERAS_BACKEND": backend},
        timeout=900,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = list(rows(SMOKE.name, backend, json.loads(done.stdout.splitlines()[-1])))
    modes = ["eager", "graph", "jit"] if backend == "tensorflow" else ["jax, jit"]
    assert [row["mode"] for row in found] == modes
    for row in found:
        assert row["bare_us"] > 0
        assert {"stock", *PROTOCOLS} <= set(row)


def test_each_size_is_measured_with_and_without_slots() -> None:
    assert {case.inner for case in CASES} == {"SGD", "Adam"}
    assert {(case.variables, case.size) for case in CASES} == {(1, 100), (100, 100), (20, 10**6)}
