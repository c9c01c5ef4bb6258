# SPDX-License-Identifier: Apache-2.0
"""The training step: bare, with tf-keras' loss scaling, and with this package's.

python -m benchmarks.step [FILE]

A second run goes into another file, `benchmarks/results/step_again.json`: its ratios are held
against the first one's.
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

from benchmarks import fit, growth, machine, memory, plain, steps
from benchmarks.apart import pooled, result_of
from benchmarks.cases import CANDIDATES

RESULTS = Path(__file__).parent / "results" / "step.json"
AGAIN = RESULTS.with_name("step_again.json")


def run(*, smoke: bool = False) -> dict[str, Any]:
    """Measures everything. A smoke run takes seconds, and its times mean nothing."""
    results: dict[str, Any] = {"machine": machine.description()}
    results["steps"] = [_told(row) for row in steps.run(smoke=smoke)]
    batches = fit.rounds_of(2, layers=2) if smoke else pooled("benchmarks.fit")
    results["fit"] = _told(steps.row(fit.NAME, batches))
    results["growth"] = growth.run(smoke=True) if smoke else result_of("benchmarks.growth")
    if not smoke:
        results["plain"] = [_told(row) for row in plain.run()]
        results["memory"] = [_told(row) for row in _memory()]
    return results


def _memory() -> list[dict[str, Any]]:
    return [
        {
            "case": f"{family} SGD, {variables} x {size:,}, {mode}",
            **{name: memory.peak_mb(name, family, mode, variables, size) for name in CANDIDATES},
        }
        for family, variables, size in memory.CASES
        for mode in memory.MODES
    ]


def _told(row: dict[str, Any]) -> dict[str, Any]:
    print(json.dumps(row, default=dataclasses.asdict), file=sys.stderr, flush=True)
    return row


if __name__ == "__main__":
    file = Path(sys.argv[1]) if sys.argv[1:] else RESULTS
    file.write_text(json.dumps(run(), indent=1) + "\n")
