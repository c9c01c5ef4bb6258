# SPDX-License-Identifier: Apache-2.0
"""Trains for very long with random faults, next to the pure update rule, and watches the memory.

    python -m tests.reliability.soak --count 200000 [--eager 5000] [--seed 0]

For each of `SETTINGS` and of `rules`, `--count` steps run through the core inside a `tf.function`
with a loop. `--eager` steps run in eager mode through each generation's optimizer. After every step
the loss scale and its counters must be those of `compat_lossscale.spec.update_rule`, and only good
steps may have been applied.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from compat_lossscale import DynamicLossScale
from compat_lossscale.core import apply_or_skip
from compat_lossscale.spec.update_rule import ScaleState, next_state
from tests.reliability import rules
from tests.reliability.faults import mode_of
from tests.reliability.generations import GENERATIONS, Generation, Training
from tests.support import INF, NAN

LOOP = 1000
"""Steps in one call of the tf.function."""
ELEMENTS = 6
"""Of the gradients: three of a dense one and three rows, two of them the same, of a sparse one."""
# First scale, growth steps, multiplier, and how many of the steps are bad.
SETTINGS = (
    (2.0**15, 2000, 2.0, 0.0005),
    (2.0**15, 3, 2.0, 0.25),
    (1.0, 1, 2.0, 0.5),
    (2.0**120, 1, 2.0, 0.3),
    (8.0, 2, 4.0, 0.3),
    (100.0, 5, 8.0, 0.1),
    (0.5, 10, 2.0, 0.05),
)
TRACED_GROWTH = 16 * 2**20
"""Bytes by which the process may grow after the first fifth of the steps. The allocator's noise."""
EAGER_OBJECTS = 100
"""Python objects that may come to be kept in thousands of eager steps."""


def main() -> int:
    """Runs from the command line. Returns the number of failures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200_000, help="steps for each loss scale")
    parser.add_argument("--eager", type=int, default=5_000, help="steps for each generation")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chance = np.random.default_rng(options.seed)
    runs = [("traced core", lambda: soak_traced(options.count, chance))]
    for generation in GENERATIONS:
        runs.append(
            (
                f"eager {generation.name}",
                lambda generation=generation: soak_eager(generation, options.eager, chance),
            )
        )
    failures = 0
    for name, run in runs:
        started = time.monotonic()
        try:
            result = run()
        except AssertionError as error:
            failures += 1
            result = f"FAILED: {error}"
        print(f"{name}: {result}, {time.monotonic() - started:.0f} s", flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:.0f} MiB, {failures} of {len(runs)} runs failed")
    return failures


def faults(finite: Any, chance: np.random.Generator) -> np.ndarray[Any, Any]:
    """A row of gradient elements for each step; a bad step has one that is not finite."""
    elements = np.ones((len(finite), ELEMENTS), np.float32)
    steps = np.flatnonzero(~np.asarray(finite))
    places = chance.integers(0, ELEMENTS, len(steps))
    elements[steps, places] = chance.choice([NAN, INF, -INF], len(steps))
    return elements


class TracedTraining:
    """Applies or skips, in a loop inside one tf.function, and counts which."""

    def __init__(self, loss_scale: DynamicLossScale) -> None:
        self.loss_scale = loss_scale
        self.state = list(loss_scale.state.values())
        self.applied = tf.Variable(0, dtype=tf.int64)
        self.skipped = tf.Variable(0, dtype=tf.int64)

    @tf.function(autograph=False)
    def run(self, elements: tf.Tensor) -> list[tf.Tensor]:
        """Takes a step for each row; returns each number of the loss scale's state after each."""
        count = elements.shape[0]
        variables = self.state

        def step(number: Any, *arrays: Any) -> tuple[Any, ...]:
            row = elements[number]
            indices = tf.constant([0, 2, 2], tf.int64)
            done = apply_or_skip(
                self.loss_scale,
                [row[:3], tf.IndexedSlices(row[3:], indices, tf.constant([5], tf.int64))],
                apply=lambda _: self.applied.assign_add(1, read_value=False),
                skipped=lambda scale: self.skipped.assign_add(1, read_value=False),
            )
            with tf.control_dependencies([done]):
                values = [variable.read_value() for variable in variables]
            written = zip(arrays, values, strict=True)
            return number + 1, *(array.write(number, value) for array, value in written)

        arrays = [tf.TensorArray(variable.dtype, count) for variable in variables]
        _, *arrays = tf.while_loop(
            lambda number, *_: number < count, step, (tf.constant(0), *arrays)
        )
        return [array.stack() for array in arrays]


def soak_traced(count: int, chance: np.random.Generator) -> str:
    """Runs `count` steps through the core with each loss scale, in turns.

    Raises:
        AssertionError: A scale or counter is not the rule's, a step was applied or skipped that
            should not have been, or memory grew.
    """

    def independent(bad: float) -> Iterator[bool]:
        while True:
            yield chance.random() >= bad

    ways = [(DynamicLossScale(*numbers), independent(bad)) for *numbers, bad in SETTINGS]
    ways += [(rules.loss_scale(name), rules.random_steps(count + LOOP)) for name in rules.RULES]
    trainings = [
        (TracedTraining(loss_scale), steps, [state_of(loss_scale)], [0])
        for loss_scale, steps in ways
    ]
    rounds = -(-count // LOOP)
    early = None
    for number in range(rounds):
        for training, steps, last, good in trainings:
            elements = faults(list(itertools.islice(steps, LOOP)), chance)
            states = [one.numpy().tolist() for one in training.run(elements)]
            expected = path(last[0], np.isfinite(elements).all(axis=1), training.loss_scale)
            found = [ScaleState(*one) for one in zip(*states, strict=True)]
            assert found == expected, first_difference(found, expected)
            last[0] = expected[-1]
            good[0] += int(np.isfinite(elements).all(axis=1).sum())
            assert training.applied == good[0]
            assert training.skipped == (number + 1) * LOOP - good[0]
        if number >= rounds // 5 and early is None:
            early = memory()
    assert early is not None
    grown = memory() - early
    assert grown < TRACED_GROWTH, f"memory grew by {grown / 2**20:.1f} MiB"
    return (
        f"{len(ways)} x {rounds * LOOP} steps as the rule says, "
        f"memory grew by {max(grown, 0) / 2**20:.1f} MiB"
    )


def soak_eager(generation: Generation, count: int, chance: np.random.Generator) -> str:
    """Runs `count` eager steps through a generation's optimizer.

    Raises:
        AssertionError: A scale or counter is not the rule's, or objects or memory are kept.
    """
    values = {"dense": [0.0] * 3, "sparse": [0.0] * 5}
    with mode_of("eager"):
        training = Training(generation, "momentum", values, DynamicLossScale(2.0**15, 7))
        state, early = state_of(training.optimizer._loss_scale), (0, 0)
        dense, sparse = training.variables.values()
        for number, row in enumerate(faults(chance.random(count) >= 0.2, chance)):
            gradients = [
                tf.constant(row[:3]),
                tf.IndexedSlices(tf.constant(row[3:]), tf.constant([0, 2, 2]), tf.constant([5])),
            ]
            training.apply(gradients, [dense, sparse])
            (state,) = path(state, [np.isfinite(row).all()], training.optimizer._loss_scale)
            found = state_of(training.optimizer._loss_scale)
            assert found == state, f"step {number}: {found} instead of {state}"
            if number == count // 5:
                early = objects(), memory()
        kept, grown = objects() - early[0], memory() - early[1]
    assert kept < EAGER_OBJECTS, f"{kept} objects are kept"
    assert grown < TRACED_GROWTH, f"memory grew by {grown / 2**20:.1f} MiB"
    return (
        f"{count} steps as the rule says, {max(kept, 0)} objects kept, "
        f"memory grew by {max(grown, 0) / 2**20:.1f} MiB"
    )


def state_of(loss_scale: DynamicLossScale) -> ScaleState:
    """A loss scale's state now."""
    left = loss_scale.hysteresis_left
    return ScaleState(
        float(loss_scale), int(loss_scale.good_steps), None if left is None else int(left)
    )


def path(state: ScaleState, finite: Any, loss_scale: DynamicLossScale) -> list[ScaleState]:
    """The states that the pure rule goes through from `state` on."""
    states, numbers = [], loss_scale.numbers
    for one in finite:
        state = next_state(state, bool(one), numbers)
        states.append(state)
    return states


def first_difference(found: list[Any], expected: list[Any]) -> str:
    """Says where two paths part."""
    number = next(
        i for i, pair in enumerate(zip(found, expected, strict=True)) if pair[0] != pair[1]
    )
    return f"step {number}: {found[number]} instead of {expected[number]}"


def memory() -> int:
    """The bytes that this process has in memory."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def objects() -> int:
    """How many Python objects there are."""
    gc.collect()
    return len(gc.get_objects())


if __name__ == "__main__":
    raise SystemExit(main())
