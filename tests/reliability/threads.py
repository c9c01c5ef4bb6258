# SPDX-License-Identifier: Apache-2.0
"""Uses optimizers, and `install` and `uninstall`, from many threads at once.

    python -m tests.reliability.threads --count 20 [--seed 0]

`--count` rounds of each kind; each round has a fresh process for the installing.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections.abc import Callable

from tests.reliability import forked

# isort: split
import numpy as np
import tensorflow as tf
import tf_keras

import compat_lossscale
from compat_lossscale import DynamicLossScale, LossScaleOptimizer
from tests.reliability.faults import mode_of
from tests.reliability.generations import GENERATIONS, Training
from tests.support import NAN, Mode

THREADS = 8
STEPS = 30
INSTALLS = 40


def main() -> int:
    """Runs from the command line. Returns the number of failures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20, help="rounds of each kind")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    failures = 0
    for kind, attempts in ((train, STEPS), (wrap, 1), (install_and_uninstall, INSTALLS)):
        started = time.monotonic()
        wrong = []
        for number in range(options.seed, options.seed + options.count):
            child = forked.fork(lambda send, kind=kind, number=number: send(kind(number)))
            wrong += child.receive()
            child.wait()
        failures += bool(wrong)
        total = options.count * THREADS * attempts
        print(
            f"{kind.__name__}: {total} calls on {THREADS} threads, {len(wrong)} errors, "
            f"{time.monotonic() - started:.0f} s",
            *wrong[:3],
            sep="\n  ",
            flush=True,
        )
    return failures


def at_once(work: Callable[[int], None]) -> list[str]:
    """Calls `work(number)` on all threads at the same moment. Returns what was raised."""
    barrier, errors = threading.Barrier(THREADS), []

    def run(number: int) -> None:
        try:
            barrier.wait()
            work(number)
        except Exception as error:
            errors.append(f"thread {number}: {type(error).__name__}: {error}")

    threads = [threading.Thread(target=run, args=[number]) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def train(seed: int) -> list[str]:
    """Trains on each thread with an optimizer of its own, next to a twin without a loss scale.

    All threads have the same sequence of dtypes, which no thread had before, so that they all come
    to trace it at the same time.
    """
    values = {f"v{number}": [1.0, 2.0] for number in range(3 + seed % 50)}

    def work(number: int) -> None:
        chance, mode = np.random.default_rng([seed, number]), Mode("eager")
        generation = GENERATIONS[number % len(GENERATIONS)]
        wrapped = Training(generation, "momentum", values, DynamicLossScale(2.0**10, 2))
        bare = Training(generation, "momentum", values)
        for step in range(STEPS):
            # The first step makes the slots; a twin that skips it would have none.
            bad = step > 0 and chance.random() < 0.3
            factor = NAN if bad else float(chance.integers(1, 4))
            for training in (wrapped, bare):
                if training is bare and bad:
                    training.skip(mode)
                    continue
                variables = list(training.variables.values())
                training.step(
                    lambda variables=variables, factor=factor: (
                        factor * tf.add_n([tf.reduce_sum(one * one) for one in variables])
                    ),
                    variables,
                )
            assert wrapped.state(mode) == bare.state(mode), "not as its twin"

    with mode_of("eager"):
        return at_once(work)


def wrap(seed: int) -> list[str]:
    """Makes the first instance of a user's subclass on all threads: they must be of one class."""
    sys.setswitchinterval(1e-6)

    class Mine(LossScaleOptimizer):
        pass

    classes: list[type] = []
    errors = at_once(lambda _: classes.append(type(Mine(tf_keras.optimizers.SGD()))))
    distinct = {id(one) for one in classes}
    return errors + (["the class was joined more than once"] if len(distinct) != 1 else [])


def install_and_uninstall(seed: int) -> list[str]:
    """Installs and uninstalls at random; inside an `installed()` block the names must be there."""
    compat_lossscale.install()
    compat_lossscale.uninstall()

    def blocks(number: int) -> None:
        for _ in range(INSTALLS):
            with compat_lossscale.installed():
                time.sleep(0)
                assert is_there(), "taken out while a block is open"

    def either(number: int) -> None:
        chance = np.random.default_rng([seed, number])
        for _ in range(INSTALLS):
            if chance.random() < 0.5:
                compat_lossscale.install()
            else:
                compat_lossscale.uninstall()

    errors = at_once(blocks if seed % 2 else either)
    if not seed % 2:
        compat_lossscale.uninstall()
    return errors + (["left behind after the last uninstall"] if is_there() else [])


def is_there() -> bool:
    """Whether an old name is in TensorFlow."""
    return hasattr(tf.keras.mixed_precision, "experimental")


if __name__ == "__main__":
    raise SystemExit(main())
