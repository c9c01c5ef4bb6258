# SPDX-License-Identifier: Apache-2.0
"""Under `run`, layers, losses, activations and metrics give in float16 what they gave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support import python

HERE = Path(__file__).parent
RECORDED = json.loads((HERE / "float16-calls.json").read_text("utf-8"))
ROUNDING = 0.02
"""Kernels of float16 round otherwise, most of all where numbers cancel."""


@pytest.fixture(scope="module")
def given() -> dict[str, Any]:
    """What the calls give under `run`."""
    program = ("run", str(HERE / "float16_calls.py"))
    done = python("-m", "compat_lossscale", *program, timeout=300, tensorflow_may_be_imported=True)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def split(value: Any) -> tuple[list[float], list[Any]]:
    """Returns the numbers in what a call gives, and the other parts, in order."""
    if not isinstance(value, list):
        return ([value], []) if isinstance(value, float) else ([], [value])
    parts = [split(part) for part in value]
    return [one for part in parts for one in part[0]], [one for part in parts for one in part[1]]


@pytest.mark.parametrize("name", RECORDED)
def test_calls_give_what_they_gave_under_mixed_float16(name: str, given: dict[str, Any]) -> None:
    (numbers, others), (expected, expected_others) = split(given[name]), split(RECORDED[name])
    assert others == expected_others
    assert numbers == pytest.approx(expected, rel=ROUNDING, abs=ROUNDING / 100, nan_ok=True)
