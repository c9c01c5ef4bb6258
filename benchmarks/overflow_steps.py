# SPDX-License-Identifier: Apache-2.0
"""What it costs to record which gradient overflowed: the same step, asked to record and not.

python -m benchmarks.overflow_steps           measures everything, and writes the table
python -m benchmarks.overflow_steps NUMBER    measures one case
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf
import tf_keras

import compat_lossscale
from benchmarks import machine
from benchmarks.apart import pooled
from benchmarks.measure import Rounds, Spread, in_turns, ratio
from compat_lossscale.errors import LossScaleStuckWarning

RESULTS = Path(__file__).parent / "results" / "overflow.json"
PAGE = RESULTS.with_suffix(".md")
ROUNDS = 20
OUTCOMES = ("applied", "skipped")


@dataclasses.dataclass(frozen=True)
class Size:
    """How many variables there are, and how many elements each has."""

    variables: int
    elements: int

    @property
    def name(self) -> str:
        """What the row is called."""
        return f"{self.variables} x {self.elements:,}"


SIZES = (Size(1, 100), Size(100, 100), Size(20, 1_000_000))
SMOKE = Size(2, 10)


def step_of(size: Size, mode: str, outcome: str, *, records: bool) -> Callable[[], object]:
    """A step that unscales gradients and applies or skips them, ready to be called.

    Args:
        size: What is trained.
        mode: `eager` or `graph`.
        outcome: `applied`, or `skipped` because the last gradient has a NaN.
        records: Whether the optimizer is asked to record.
    """
    optimizer = compat_lossscale.LossScaleOptimizer(
        tf_keras.optimizers.SGD(0.001), dynamic_growth_steps=10**9
    )
    if records:
        optimizer._record_overflows()
    values = np.full(size.elements, 1e-3, "float32")
    variables = [tf.Variable(values) for _ in range(size.variables)]
    gradients = [tf.constant(values) for _ in range(size.variables)]
    if outcome == "skipped":
        values = values.copy()
        values[-1] = np.nan
        gradients[-1] = tf.constant(values)
    optimizer._loss_has_been_scaled = True  # The gradients are made beforehand.

    def step(*gradients: Any) -> None:
        unscaled = optimizer.get_unscaled_gradients(gradients)
        optimizer.apply_gradients(zip(unscaled, variables, strict=True))

    if mode == "eager":
        return lambda: step(*gradients)
    concrete = tf.function(step).get_concrete_function(*gradients)
    return lambda: concrete(*gradients)


def rounds_of(size: Size, rounds: int = ROUNDS) -> dict[str, Rounds]:
    """Measures a size in both modes and with both outcomes."""
    return {
        f"{mode}, {outcome}": in_turns(
            {
                "without": step_of(size, mode, outcome, records=False),
                "with": step_of(size, mode, outcome, records=True),
            },
            rounds=rounds,
        )
        for mode in ("eager", "graph")
        for outcome in OUTCOMES
    }


def rows(size: Size, taken: Mapping[str, Rounds]) -> Iterator[dict[str, Any]]:
    """The table's rows of a size."""
    for kind, rounds in taken.items():
        yield {
            "variables": size.name,
            "step": kind,
            "without_us": Spread.of(rounds["without"]).median * 1e6,
            "ratio": dataclasses.asdict(ratio(rounds, "with", "without")),
        }


def text(results: dict[str, Any]) -> str:
    """Returns the table, in Markdown."""
    lines = [
        "<!-- Made by `python -m benchmarks.overflow_steps`; do not edit. -->",
        machine.sentences(results["machine"]),
        "",
        "| Variables | step | without, µs | with ÷ without (middle half of the rounds) |",
        "| --- | --- | --- | --- |",
    ]
    for row in results["steps"]:
        figures = row["ratio"]
        lines.append(
            f"| {row['variables']} | {row['step']} | {row['without_us']:,.0f} "
            f"| {figures['median']:.2f} ({figures['low']:.2f} to {figures['high']:.2f}) |"
        )
    return "\n".join(lines) + "\n"


def run() -> dict[str, Any]:
    """Measures every size, each in processes of its own."""
    found: dict[str, Any] = {"machine": machine.description(), "steps": []}
    for number, size in enumerate(SIZES):
        for row in rows(size, pooled("benchmarks.overflow_steps", str(number))):
            print(json.dumps(row), file=sys.stderr, flush=True)
            found["steps"].append(row)
    return found


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore", LossScaleStuckWarning)
    numbers = [one for one in sys.argv[1:] if one.isdigit()]
    if numbers:
        print(json.dumps(rounds_of(SIZES[int(numbers[0])])))
    else:
        results = run()
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")
        PAGE.write_text(text(results), encoding="utf-8")
