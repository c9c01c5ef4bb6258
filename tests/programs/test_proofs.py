# SPDX-License-Identifier: Apache-2.0
"""What the tables of proofs show. `python -m tests.programs.proofs` records the programs."""

from __future__ import annotations

import json
from typing import Any

from tests.programs import proofs
from tests.programs.programs import PROGRAMS
from tests.programs.run import PAGE

SAME: dict[str, Any] = {
    "verdict": "same", "reason": "same to the bit for 6 steps", "first": None, "findings": 3,
    "left": 1,
}  # fmt: skip
FIRST = {"what": "variable", "step": 2, "name": "conv/kernel", "size": 0.00012}


def test_the_page_shows_each_program_that_was_recorded() -> None:
    alone, under_run = PROGRAMS[0], next(one for one in PROGRAMS if not one.shim)
    text = proofs.page(
        {
            alone.name: {
                **SAME,
                "old": {"2.3": {**SAME, "reason": "same within 3e-06 for 6 steps"}},
            },
            under_run.name: {**SAME, "first": FIRST, "again": "different"},
            PROGRAMS[2].name: {"why": "before: ImportError: a|b"},
        }
    )
    assert (
        f"| {alone.name} | same to the bit for 6 steps, under `run` on both sides | 3 | 1 |" in text
    )
    assert "different from step 2 on: variable conv/kernel, 1e-04; the unchanged program" in text
    assert "not recorded: before: ImportError: a/b" in text
    assert f"| {alone.name} | TensorFlow 2.3 | same within 3e-06 for 6 steps |" in text


def test_the_page_is_that_of_the_results() -> None:
    results = json.loads(proofs.RESULTS.read_text("utf-8"))
    assert proofs.PROOFS.read_text("utf-8") == proofs.page(results)
    assert PAGE.read_text("utf-8").endswith(proofs.page(results))
