# SPDX-License-Identifier: Apache-2.0
"""What it costs on Keras 3, in what XLA compiles, that skipped steps are counted.

    python -m benchmarks.keras3_counter                 measures in several processes
    python -m benchmarks.keras3_counter SEED [ROUNDS]   measures in this one

The count is in one variable, beside those that Keras' own class has. Each process makes the
optimizers in another order, because what a step takes depends on where in memory things lie.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import sys
from typing import Any

os.environ.setdefault("KERAS_BACKEND", "tensorflow")

from benchmarks.apart import result_of
from benchmarks.keras3_steps import CASES, Training
from benchmarks.measure import in_turns, overhead
from compat_lossscale.keras3 import LossScaleOptimizer

SMALLEST = [case for case in CASES if case.variables == 1]
PROCESSES = 8
ROUNDS = 60


class Uncounted(LossScaleOptimizer):
    """Does not count skipped steps."""

    def _count_skipped(self, before: Any) -> None:
        """Leaves the variable out of the step."""


WRAPPERS = {"counted": LossScaleOptimizer, "uncounted": Uncounted}


def overheads(seed: int, rounds: int = ROUNDS) -> dict[str, dict[str, float]]:
    """Measures in this process.

    Args:
        seed: Of the order in which the optimizers are made.
        rounds: How many rounds.

    Returns:
        For each case the overhead of each wrapper over a bare step, in microseconds.
    """
    found = {}
    for case in SMALLEST:
        names = ["bare", "stock", *WRAPPERS]
        random.Random(seed).shuffle(names)
        calls, kept = {}, []
        for name in names:
            kept.append(Training(case, name, WRAPPERS.get(name)))
            calls[name] = kept[-1].call("jit")
        taken = in_turns(calls, rounds=rounds, seconds=0.005)
        found[case.name] = {
            name: overhead(taken, name, "bare").median * 1e6 for name in ("stock", *WRAPPERS)
        }
    return found


def main() -> None:
    """Measures in several processes, and prints the medians."""
    runs = [result_of("benchmarks.keras3_counter", str(seed)) for seed in range(PROCESSES)]
    for case in SMALLEST:
        medians = {
            name: statistics.median(run[case.name][name] for run in runs)
            for name in ("stock", *WRAPPERS)
        }
        shares = {name: f"{medians[name] / medians['stock']:.2f}" for name in WRAPPERS}
        print(case.name, {name: f"{median:.1f} µs" for name, median in medians.items()}, shares)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(overheads(*map(int, sys.argv[1:]))))
    else:
        main()
