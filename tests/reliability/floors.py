# SPDX-License-Identifier: Apache-2.0
"""Keeps the loss scale at its floor on several replicas and workers, where that is an error.

    python -m tests.reliability.floors [--only GENERATION] [--repeats 1] [setting ...]

One replica's share of each batch is NaN, and the rule has `on_floor="raise"`. All replicas skip
each step, so each worker must raise the error in the same step, with every generation's optimizer,
in a `tf.function` and eagerly. None may hang. Nothing but the loss scale may have changed, and
those that catch the error train on together.
"""

from __future__ import annotations

import argparse
import signal
import time
from collections.abc import Callable
from typing import Any, TypeAlias

from tests.reliability import forked

# isort: split
import tensorflow as tf

from compat_lossscale import DynamicLossScale, LossScaleRule
from compat_lossscale.errors import LossScaleStuckError
from tests.reliability.generations import GENERATIONS, Generation, Training
from tests.reliability.workers import free_ports, mirrored, multi_worker
from tests.support import NAN

SETTINGS = ("mirrored-2", "workers-2")
WAYS = ("function", "eager")
RULE = LossScaleRule(min_scale=4.0, on_floor="raise", floor_steps=2)
INITIAL = 8.0
RAISES_AT = 2
"""The step that raises: the first brings the scale to its floor, and two more are skipped there."""
STEPS = 5
"""Steps that are tried, so that a late error is seen too."""
TIMEOUT = 240
"""Seconds after which a worker that has sent nothing hangs."""
Send: TypeAlias = Callable[[Any], None]
Result: TypeAlias = dict[str, Any]
AFTER_A_GOOD_STEP = 1.0 - 0.25
"""The variable, whose gradients are 0.5 on each of two replicas."""
EXPECTED: Result = {
    "step": RAISES_AT,
    "is_floor": True,
    "state": [1.0, 4.0, 3.0],
    "later": AFTER_A_GOOD_STEP,
}


def main() -> int:
    """Runs from the command line. Returns the number of failures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", metavar="GENERATION", help="one of the generations")
    parser.add_argument("--repeats", type=int, default=1, help="how often to repeat each")
    parser.add_argument("settings", nargs="*", metavar="setting", help=f"of {', '.join(SETTINGS)}")
    options = parser.parse_args()
    failures = 0
    for setting in options.settings or SETTINGS:
        started, wrong, count = time.monotonic(), [], 0
        for generation in GENERATIONS:
            if options.only in (None, generation.name):
                for way in WAYS * options.repeats:
                    count += 1
                    found = run(setting, generation, way)
                    wrong += [
                        f"{generation.name} {way}, worker {worker}: {one}"
                        for worker, one in enumerate(found)
                        if one != EXPECTED
                    ]
        failures += bool(wrong)
        result = "FAILED: " + "; ".join(wrong) if wrong else "each worker raises in its step"
        print(f"{setting}: {count} runs, {result}, {time.monotonic() - started:.0f} s", flush=True)
    return failures


def run(setting: str, generation: Generation, way: str) -> list[Result]:
    """Runs one generation, and returns what became of each worker."""
    kind, _, count = setting.partition("-")
    cluster = [f"localhost:{port}" for port in free_ports(int(count))]
    makers: list[Callable[[], tf.distribute.Strategy]] = [lambda: mirrored(int(count))]
    if kind == "workers":
        makers = [
            lambda index=index: multi_worker(cluster, index)  # type: ignore[misc]  # a default
            for index in range(int(count))
        ]
    children = [forked.fork(_work(maker, generation, way)) for maker in makers]
    results = []
    for child in children:
        try:
            results.append(child.receive(timeout=TIMEOUT))
        except TimeoutError:
            results.append({"hangs": True})
        except EOFError:
            results.append({"ended": True})
    for child in children:
        # A worker waits for the others when it ends.
        child.kill()
        child.wait()
    return results


def _work(
    maker: Callable[[], tf.distribute.Strategy], generation: Generation, way: str
) -> Callable[[Send], None]:
    def work(send: Send) -> None:
        tf.get_logger().setLevel("ERROR")
        send(train(maker(), generation, way))
        signal.pause()  # Another worker may still read from this one. `run` ends both.

    return work


def train(strategy: tf.distribute.Strategy, generation: Generation, way: str) -> Result:
    """Takes bad steps until one raises, and a good step after it.

    Returns:
        Which step raised, whether it was the error of the floor; then the variable, the loss scale
        and the skipped steps; and the variable after the good step.
    """
    with strategy.scope():
        loss_scale = DynamicLossScale(INITIAL, rule=RULE)
        training = Training(generation, "momentum", {"v": 1.0}, loss_scale)
    variable = training.variables["v"]

    def step(shares: tf.Tensor) -> None:
        def on_replica() -> None:
            here = tf.distribute.get_replica_context().replica_id_in_sync_group
            training.step(lambda: variable * shares[here], [variable])

        strategy.run(on_replica)

    take = tf.function(step, autograph=False) if way == "function" else step
    good = [0.5] * strategy.num_replicas_in_sync
    bad = [*good[:-1], NAN]
    raised: Result = {"step": None}
    for number in range(STEPS):
        try:
            take(tf.constant(bad))
        except (LossScaleStuckError, tf.errors.OpError) as error:
            is_floor = "floor of its rule" in str(error)
            raised = {"step": number, "is_floor": is_floor}
            if not is_floor:
                raised["error"] = f"{type(error).__name__}: {str(error)[:300]}"
            break
    optimizer = training.optimizer
    state = [variable, optimizer._loss_scale.current_loss_scale, optimizer._step_log.notes[0]]
    after = {**raised, "state": [float(one.numpy()) for one in state]}
    take(tf.constant(good))
    return {**after, "later": float(variable.numpy())}


if __name__ == "__main__":
    raise SystemExit(main())
