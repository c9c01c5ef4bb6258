# SPDX-License-Identifier: Apache-2.0
"""The optimizer's step: bare, with tf-keras' loss scaling, and with this package's.

python -m benchmarks.step               measures everything
python -m benchmarks.step PART ...      measures some parts again, and keeps the other results

A part is the number of a case, `growth` or `memory`.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")

from benchmarks import growth, machine, memory, steps
from benchmarks.apart import result_of
from benchmarks.cases import CANDIDATES

RESULTS = Path(__file__).parent / "results" / "step.json"


def run(*, smoke: bool = False) -> dict[str, Any]:
    """Measures everything. A smoke run takes seconds, and its times mean nothing."""
    results: dict[str, Any] = {"machine": machine.description()}
    results["steps"] = [_print(row) for row in steps.run(smoke=smoke)]
    results["growth"] = growth.run(smoke=True) if smoke else result_of("benchmarks.growth")
    if not smoke:
        results["memory"] = _memory()
    return results


def run_again(results: dict[str, Any], parts: list[str]) -> dict[str, Any]:
    """Measures parts again, and puts them in place of their earlier results."""
    results = {**results, "machine": machine.description()}
    names = [case.name for case in steps.CASES]
    rows = {row["case"]: row for row in results["steps"]}
    for part in parts:
        if part == "growth":
            results["growth"] = result_of("benchmarks.growth")
        elif part == "memory":
            results["memory"] = _memory()
        else:
            rows[names[int(part)]] = _print(steps.measured(int(part)))
    results["steps"] = [rows[name] for name in names if name in rows]
    return results


def _memory() -> list[dict[str, Any]]:
    return [
        _print(
            {
                "case": f"{family} SGD, {variables} x {size:,}, {mode}",
                **{
                    name: memory.peak_mb(name, family, mode, variables, size) for name in CANDIDATES
                },
            }
        )
        for family, variables, size in memory.CASES
        for mode in memory.MODES
    ]


def _print(row: dict[str, Any]) -> dict[str, Any]:
    print(json.dumps(row, default=dataclasses.asdict), file=sys.stderr, flush=True)
    return row


if __name__ == "__main__":
    if parts := sys.argv[1:]:
        measured = run_again(json.loads(RESULTS.read_text()), parts)
    else:
        measured = run()
    RESULTS.write_text(json.dumps(measured, indent=1) + "\n")
