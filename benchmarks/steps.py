# SPDX-License-Identifier: Apache-2.0
"""What a training step costs: bare, with tf-keras' loss scaling and with this package's.

python -m benchmarks.steps NUMBER [trace]
"""

from __future__ import annotations

import dataclasses
import functools
import gc
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from benchmarks.apart import AGAIN, pooled
from benchmarks.cases import CANDIDATES, Case, Training, same_results
from benchmarks.measure import Rounds, Spread, in_turns, overhead_ratio, ratio

CASES = (
    *(
        Case(family, variables, (size,))
        for family in ("legacy", "new")
        for variables, size in ((100, 100), (400, 100), (20, 1_000_000))
    ),
    *(
        Case(family, variables, (size,), fixed=True)
        for family in ("legacy", "new")
        for variables, size in ((100, 100), (400, 100), (20, 1_000_000))
    ),
    Case("legacy", 1, (100,)),
    Case("new", 1, (100,)),
    Case("legacy", 100, (10, 10)),
    Case("legacy", 100, (100,), inner="Adam"),
    Case("legacy", 20, (1000, 1000), inner="Adam"),
    Case("new", 100, (100,), inner="Adam"),
    Case("legacy", 40, (1000, 32), gradients="sparse"),
    Case("legacy", 100, (100,), gradients="float16"),
    Case("legacy", 20, (1000, 1000), gradients="float16"),
    Case("legacy", 100, (100,), replicas=2),
    Case("new", 100, (100,), replicas=2),
)
ROUNDS = 15
"""Rounds in which a step is taken, in each process."""
TRACES = 3
"""Rounds in which a step is traced, in each process."""
SMOKE = (Case("legacy", 3, (10,)), Case("new", 3, (10,), fixed=True))


def run(*, smoke: bool = False) -> Iterator[dict[str, Any]]:
    """Measures every case, one after the other."""
    if smoke:
        for case in SMOKE:
            yield row(case.name, rounds_of(case, rounds=2) | tracing(case, rounds=1))
        return
    for number in range(len(CASES)):
        yield measured(number)


def measured(number: int) -> dict[str, Any]:
    """Measures a case of `CASES` in processes of its own, and returns its row."""
    # What TensorFlow keeps of many traced functions would soon be more than the memory.
    taken = pooled("benchmarks.steps", str(number))
    return row(CASES[number].name, taken | pooled("benchmarks.steps", str(number), "trace"))


def rounds_of(case: Case, rounds: int = ROUNDS, *, check: bool = True) -> dict[str, Rounds]:
    """Measures one case: eagerly, and in a graph.

    Args:
        case: The case.
        rounds: How many rounds.
        check: Whether to compare the results with those of tf-keras' own optimizer.

    Raises:
        AssertionError: They differ.
    """
    if check and not same_results(case):
        raise AssertionError(f"{case.name}: the results differ from tf-keras' own.")
    taken: dict[str, Rounds] = {}
    trainings = {name: Training(case, name) for name in CANDIDATES}
    if case.replicas == 1:
        taken["eager"] = in_turns({n: t.eager() for n, t in trainings.items()}, rounds=rounds)
    graphs = {name: t.graph().get_concrete_function() for name, t in trainings.items()}
    taken["graph"] = in_turns(graphs, rounds=rounds)
    return taken


def tracing(case: Case, rounds: int = TRACES) -> dict[str, Rounds]:
    """Measures how long it takes to trace one case."""
    makers = {name: functools.partial(Training, case, name) for name in CANDIDATES}
    return {"trace": traces(makers, rounds)}


def traces(makers: Mapping[str, Callable[[], Training]], rounds: int = TRACES) -> Rounds:
    """Traces new steps in turns, after a first one of each that is not counted.

    In every second round the order is turned round: what the step before leaves to be freed takes
    time as well.
    """
    for make in makers.values():
        trace(make())
    taken: dict[str, list[float]] = {name: [] for name in makers}
    for number in range(rounds):
        for name in reversed(makers) if number % 2 else makers:
            taken[name].append(trace(makers[name]()))
    return taken


def trace(training: Training) -> float:
    """Seconds of processor time for tracing a new optimizer's step."""
    function = training.graph()
    # To fill the optimizer's own variables with zeros takes as long as memory takes.
    training.build()
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        function.get_concrete_function()
        return time.process_time() - start
    finally:
        gc.enable()


def row(name: str, taken: Mapping[str, Rounds]) -> dict[str, Any]:
    """A row of the tables, of all rounds of a case."""
    return {"case": name, **{mode: _figures(rounds) for mode, rounds in taken.items()}}


def _figures(rounds: Rounds) -> dict[str, Any]:
    """The bare step, and the others as shares of it."""
    return {
        "bare_us": Spread.of(rounds["bare"]).median * 1e6,
        "stock": dataclasses.asdict(ratio(rounds, "stock", "bare")),
        "ours": dataclasses.asdict(ratio(rounds, "ours", "bare")),
        "overhead": dataclasses.asdict(overhead_ratio(rounds, "ours", "stock", "bare")),
    }


if __name__ == "__main__":
    chosen = CASES[int(sys.argv[1])]
    chosen.make_devices()
    found = (
        tracing(chosen) if "trace" in sys.argv else rounds_of(chosen, check=AGAIN not in sys.argv)
    )
    print(json.dumps(found))
