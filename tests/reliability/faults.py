# SPDX-License-Identifier: Apache-2.0
"""Trains with random faults, next to a twin that is given the good steps only.

    python -m tests.reliability.faults --count 20000 [--seed 0]

Every step draws gradients of small dyadic numbers, so that all arithmetic is exact, and half of the
steps put a NaN or an infinity at a random place, or meet a loss scale at which the gradients
overflow. After each step, variables, slots and the count of steps must equal the twin's to the
bit, and the loss scale and its counter the pure update rule's.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import logging
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from compat_lossscale import DynamicLossScale
from compat_lossscale.spec.update_rule import RuleNumbers, ScaleState, next_state
from tests.reliability.generations import GENERATIONS, Generation, Training
from tests.support import INF, NAN, Mode

MODES = ("eager", "function", "jit", "graph")
EPISODE = 12
"""Steps from one fresh start to the next: so many halvings of a momentum stay exact."""
GROWTH_STEPS = 3
VALUES = {
    "vector": [1.0, -2.0, 0.5],
    "matrix": [[1.0, 2.0], [-3.0, 0.25]],
    "table": np.arange(10).reshape(5, 2) / 4,
    "unused": [1.0],
}
SHAPES = {"vector": (3,), "matrix": (2, 2), "rows": (4, 2)}
SCALES = {
    "float32": (1.0, 2.0, 2.0**15, 2.0**100, 2.0**125, 2.0**127),
    "float16": (1.0, 2.0, 2.0**10, 2.0**14, 2.0**15, 2.0**16, 2.0**20),
}


def main() -> int:
    """Runs from the command line. Returns the number of failures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20_000, help="steps in all")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    cases = list(all_cases())
    each = -(-options.count // (len(cases) * EPISODE))
    seeds = range(options.seed, options.seed + each)
    started = time.monotonic()
    totals: collections.Counter[str] = collections.Counter()
    failures = 0
    for generation, mode_name, dtype, kind in cases:
        name = f"{generation.name} {mode_name} {dtype} {kind}"
        with mode_of(mode_name) as mode:
            try:
                counts = Twins(generation, mode, dtype, kind).run(seeds)
            except Exception as error:
                failures += 1
                print(f"{name}: FAILED: {str(error).splitlines()[0]}", flush=True)
                continue
        totals += counts
        print(f"{name}: {dict(counts)}", flush=True)
    print(
        f"{dict(totals)} in {time.monotonic() - started:.0f} s: {failures} of {len(cases)} failed"
    )
    return failures


def all_cases() -> Iterator[tuple[Generation, str, str, str]]:
    """Each generation in each mode in which it runs, in both dtypes and with both optimizers."""
    for generation in GENERATIONS:
        for mode in MODES:
            if not generation.runs_in(mode):
                continue
            for dtype in SCALES:
                # XLA has no kernel for the sparse step of the older optimizers with momentum.
                for kind in ("adam",) if mode == "jit" else ("momentum", "adam"):
                    yield generation, mode, dtype, kind


@contextlib.contextmanager
def mode_of(name: str) -> Iterator[Mode]:
    """A mode, inside a graph and a session of its own if it needs them."""
    tf.get_logger().setLevel(logging.ERROR)
    try:
        if name != "graph":
            yield Mode(name)
            return
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            yield Mode(name, session)
    finally:
        tf.get_logger().setLevel(logging.NOTSET)


class Twins:
    """One training with a loss scale, one without, and the update rule between them.

    Args:
        generation: Which API.
        mode: How it runs.
        dtype: In which dtype the loss is computed, from float32 variables.
        kind: Which inner optimizer.
    """

    def __init__(self, generation: Generation, mode: Mode, dtype: str, kind: str) -> None:
        self.mode, self.dtype = mode, dtype
        self.is_of_keras_3 = generation.name.startswith("keras3")
        loss_scale = DynamicLossScale(2.0**15, GROWTH_STEPS)
        self.wrapped = Training(generation, kind, VALUES, loss_scale)
        self.bare = Training(generation, kind, VALUES)
        specs = [tf.TensorSpec(shape, tf.float32) for shape in SHAPES.values()]
        specs.append(tf.TensorSpec([4], tf.int32))
        self._step_wrapped = mode.compile(self._step_of(self.wrapped), *specs)
        self._step_bare = mode.compile(self._step_of(self.bare), *specs)
        self._rule = (2.0**15, 0)
        zeros = [np.zeros(shape) for shape in SHAPES.values()]
        for step in (self._step_wrapped, self._step_bare):
            step(*zeros, np.zeros(4))  # makes the slots

    def _step_of(self, training: Training) -> Any:
        dtype = tf.as_dtype(self.dtype)

        def step(vector: Any, matrix: Any, rows: Any, ids: Any) -> Any:
            variables = training.variables

            def loss() -> tf.Tensor:
                picked = tf.gather(variables["table"], ids)
                values = (variables["vector"], variables["matrix"], picked)
                pairs = zip(values, (vector, matrix, rows), strict=True)
                return tf.add_n(
                    [tf.reduce_sum(tf.cast(a, dtype) * tf.cast(b, dtype)) for a, b in pairs]
                )

            return training.step(loss, list(variables.values()))

        return step

    def run(self, seeds: Any) -> collections.Counter[str]:
        """Runs one episode for each seed. Returns how many steps of which kind there were."""
        counts: collections.Counter[str] = collections.Counter()
        for seed in seeds:
            chance = np.random.default_rng(seed)
            self._start_afresh(chance)
            for number in range(EPISODE):
                kind = self._one_step(chance)
                counts[kind] += 1
                self._compare(f"seed {seed}, step {number} ({kind})")
        return counts

    def _start_afresh(self, chance: np.random.Generator) -> None:
        mode, scale = self.mode, float(chance.choice(SCALES[self.dtype]))
        for training in (self.wrapped, self.bare):
            for variable in training.all_variables:
                zeros = np.zeros(variable.shape, variable.dtype.as_numpy_dtype)
                training.load(mode, variable, zeros)
            for name, variable in training.variables.items():
                training.load(mode, variable, np.asarray(VALUES[name], np.float32))
        good_steps = int(chance.integers(GROWTH_STEPS))
        self.wrapped.load(mode, self.wrapped.scale, scale)
        self.wrapped.load(mode, self.wrapped.good_steps, good_steps)
        self._rule = (scale, good_steps)

    def _one_step(self, chance: np.random.Generator) -> str:
        gradients = {
            # Below 2, so that no scale overflows float32: a tf.function may multiply the loss scale
            # with its reciprocal first, where a gradient is but a product, and see no overflow.
            name: chance.integers(-15, 16, shape).astype(np.float32) / 8
            for name, shape in SHAPES.items()
        }
        # Of rows that come twice, Keras 3's own optimizers make something else: see its defects.
        ids = chance.permutation(5)[:4] if self.is_of_keras_3 else chance.integers(0, 5, 4)
        kind = "good"
        if chance.random() < 0.4:
            for _ in range(chance.integers(1, 3)):
                victim = gradients[chance.choice(list(SHAPES))]
                fault = chance.choice([NAN, INF, -INF])
                victim.flat[chance.integers(victim.size)] = fault
            kind = "non-finite"
        scale, good_steps = self._rule
        dtype = np.dtype(self.dtype)
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = [np.asarray(scale).astype(dtype) * g.astype(dtype) for g in gradients.values()]
        finite = all(np.isfinite(one).all() for one in scaled)
        if kind == "good" and not finite:
            kind = "overflow"
        self._step_wrapped(*gradients.values(), ids)
        if finite:
            # TensorFlow flushes what is below the smallest normal number, as this reciprocal, to
            # zero. So do the real versions: a scale at the cap trains nothing. Keras 3 divides.
            is_flushed = 1 / scale < np.finfo(np.float32).tiny and not self.is_of_keras_3
            left = 0 if is_flushed else 1
            self._step_bare(*(gradient * left for gradient in gradients.values()), ids)
        else:
            self.bare.skip(self.mode)
        numbers = RuleNumbers.of_multiplier(GROWTH_STEPS, 2.0)
        self._rule = next_state(ScaleState(scale, good_steps), finite, numbers)[:2]
        return kind

    def _compare(self, when: str) -> None:
        ours, theirs = self.wrapped.state(self.mode), self.bare.state(self.mode)
        assert ours == theirs, f"{when}: the variables or slots are not the twin's"
        value = self.mode.value
        state = (float(value(self.wrapped.scale)), int(value(self.wrapped.good_steps)))
        assert state == self._rule, f"{when}: {state} is not the update rule's {self._rule}"


if __name__ == "__main__":
    raise SystemExit(main())
