# SPDX-License-Identifier: Apache-2.0
"""What the guards against common mistakes cost: the same step with them and without.

python -m benchmarks.guards           measures everything, and writes the table
python -m benchmarks.guards NUMBER    measures steps with so many variables

There is no setting that switches guards off. Here an optimizer gets guards that do nothing, so the
calls of their methods remain.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import numpy as np
import tensorflow as tf
import tf_keras

import compat_lossscale
from benchmarks import machine
from benchmarks.apart import pooled
from benchmarks.measure import Rounds, Spread, in_turns, ratio
from compat_lossscale import keras3, v1
from compat_lossscale.keras3.backends import tensorflow as tensorflow_backend
from compat_lossscale.steps import guarded_scaling
from compat_lossscale.steps.call_order import CallOrder
from compat_lossscale.steps.guards import MisuseGuards

RESULTS = Path(__file__).parent / "results" / "guards.json"
PAGE = RESULTS.with_suffix(".md")
ROUNDS = 40
ELEMENTS = 100
"""Of each variable."""
GROWTH_STEPS = 10**9
"""So that the loss scale stays."""
OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "tf-keras": lambda: compat_lossscale.LossScaleOptimizer(
        tf_keras.optimizers.SGD(0.0), dynamic_growth_steps=GROWTH_STEPS
    ),
    "tf-keras, legacy": lambda: compat_lossscale.LossScaleOptimizer(
        tf_keras.optimizers.legacy.SGD(0.0), dynamic_growth_steps=GROWTH_STEPS
    ),
    "TensorFlow 1": lambda: v1.MixedPrecisionLossScaleOptimizer(
        tf.compat.v1.train.GradientDescentOptimizer(0.0),
        compat_lossscale.DynamicLossScale(2.0**15, GROWTH_STEPS),
    ),
    "Keras 3": lambda: keras3.LossScaleOptimizer(
        keras.optimizers.SGD(0.0), dynamic_growth_steps=GROWTH_STEPS
    ),
}


def nothing(*args: Any, **kwargs: Any) -> None:
    """Takes the place of each public method of guards."""


class NoGuards(MisuseGuards):
    """Guards that do nothing."""

    def __init__(self) -> None:
        super().__init__(lambda: None)
        self.order = NoOrder(lambda: None)


class NoOrder(CallOrder):
    """Notes no calls."""


for without, those in ((NoGuards, MisuseGuards), (NoOrder, CallOrder)):
    for method in vars(those):
        if not method.startswith("_"):
            setattr(without, method, nothing)


SIZES = (1, 100)
"""Numbers of variables, each of which is measured in a process of its own."""
TRACED = 2
"""So many variables at most has a step of which graphs are made. They have none of the guards."""


def step_of(
    optimizer: Any, count: int, *, traces: bool = False, guarded: bool
) -> Callable[[], object]:
    """A whole step, from the loss to the variables, ready to be called.

    Args:
        optimizer: One that nobody uses.
        count: How many variables are trained.
        traces: Whether to make a graph of the step, and not to take it.
        guarded: Whether the optimizer keeps its guards.
    """
    if not guarded:
        optimizer.__dict__["_guards"] = NoGuards()
    values = np.full(ELEMENTS, 1e-3, "float32")
    variables = [tf.Variable(values) for _ in range(count)]

    def loss() -> tf.Tensor:
        return tf.add_n([tf.reduce_sum(one * one) for one in variables])

    def step() -> None:
        if isinstance(optimizer, tf.compat.v1.train.Optimizer):
            optimizer.minimize(loss, var_list=variables)
            return
        with tf.GradientTape() as tape:
            scaled = optimizer.get_scaled_loss(loss())
        gradients = optimizer.get_unscaled_gradients(tape.gradient(scaled, variables))
        optimizer.apply_gradients(zip(gradients, variables, strict=True))

    step()  # makes the variables of the optimizer
    if not traces:
        return step

    def trace() -> None:
        with contextlib.ExitStack() as stack:
            for module in () if guarded else LOOKS_AT_GRAPHS:
                stack.enter_context(mock.patch.object(module, "check_unaltered", nothing))
            tf.function(step, autograph=False).get_concrete_function()

    return trace


LOOKS_AT_GRAPHS = (guarded_scaling, tensorflow_backend)
"""Modules with a guard that looks at graphs, beside the methods of `MisuseGuards`."""


def rounds_of(
    count: int, rounds: int = ROUNDS, names: Iterable[str] = OPTIMIZERS
) -> dict[str, Rounds]:
    """Measures optimizers with so many variables, in seconds of the processor."""
    found = {}
    for name in names:
        make = OPTIMIZERS[name]
        for kind in ("eager", "trace")[: 1 + (count <= TRACED)]:
            traces = kind == "trace"
            found[f"{name}; {kind}"] = in_turns(
                {
                    "without": step_of(make(), count, traces=traces, guarded=False),
                    "with": step_of(make(), count, traces=traces, guarded=True),
                },
                rounds=-(-rounds // 4) if traces else rounds,
                clock=time.process_time,
            )
    return found


def rows(count: int, taken: Mapping[str, Rounds]) -> Iterator[dict[str, Any]]:
    """The table's rows of a number of variables."""
    for key, rounds in taken.items():
        name, kind = key.split("; ")
        yield {
            "optimizer": name,
            "variables": count,
            "step": kind,
            "without_us": Spread.of(rounds["without"]).median * 1e6,
            "ratio": dataclasses.asdict(ratio(rounds, "with", "without")),
        }


def text(results: dict[str, Any]) -> str:
    """Returns the table, in Markdown."""
    lines = [
        "<!-- Made by `python -m benchmarks.guards`; do not edit. -->",
        machine.sentences(results["machine"]),
        "",
        "| Optimizer | variables | step | without, µs | with ÷ without (middle half) |",
        "| --- | --- | --- | --- | --- |",
    ]
    for row in results["steps"]:
        figures = row["ratio"]
        lines.append(
            f"| {row['optimizer']} | {row['variables']} | {row['step']} | {row['without_us']:,.0f} "
            f"| {figures['median']:.3f} ({figures['low']:.3f} to {figures['high']:.3f}) |"
        )
    return "\n".join(lines) + "\n"


def run() -> dict[str, Any]:
    """Measures every size, each in processes of its own."""
    found: dict[str, Any] = {"machine": machine.description(), "steps": []}
    for size in SIZES:
        for row in rows(size, pooled("benchmarks.guards", str(size))):
            print(json.dumps(row), file=sys.stderr, flush=True)
            found["steps"].append(row)
    return found


if __name__ == "__main__":
    numbers = [one for one in sys.argv[1:] if one.isdigit()]
    if numbers:
        print(json.dumps(rounds_of(int(numbers[0]))))
    else:
        results = run()
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")
        PAGE.write_text(text(results), encoding="utf-8")
