# SPDX-License-Identifier: Apache-2.0
"""Trains on several replicas and on several workers, with NaNs on some of them.

    python -m tests.reliability.workers [--count 60] [--seed 0] [--rule NAME]
        [setting ...]

The batch is split over the replicas. With gradients of small dyadic numbers the sum does not
depend on its order, so all copies of the variables, the slots, the loss scale and the counters must
be, to the bit, those of one device that is given the whole batch. With gradients of a small network
the sums are rounded in another order; there the weights may differ by 1e-5, the loss scale's path
not at all. That path must be the pure rule's.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any, TypeAlias

from tests.reliability import forked

# isort: split
import numpy as np
import tensorflow as tf

from tests.reliability import rules
from tests.reliability.generations import GENERATIONS, Generation, Training
from tests.reliability.worker_runs import (
    BATCH,
    TASKS,
    Batch,
    Plan,
    Results,
    batches_of,
    differences,
    name_of,
    off_the_rule,
)

LOST_WORKER = "lost-worker"
ALL = "all"
SETTINGS = ("mirrored-2", "mirrored-4", "workers-2", LOST_WORKER)
TIMEOUT = 10
"""Seconds after which a collective operation gives up."""
VALUES = {"v": np.array([1.0, -2.0, 0.5, 0.0]), "table": np.arange(10).reshape(5, 2) / 4}
NETWORK = {
    "first": np.linspace(-1, 1, 24).reshape(4, 6),
    "second": np.linspace(1, -1, 6).reshape(6, 1),
}
Send: TypeAlias = Callable[[Any], None]


def main() -> int:
    """Runs from the command line. Returns the number of failures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=60, help="steps for each generation and task")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rule", choices=(*rules.NAMES, ALL), default=rules.DEFAULT)
    parser.add_argument("--only", metavar="GENERATION", help="one of the generations")
    parser.add_argument("settings", nargs="*", metavar="setting", help=f"of {', '.join(SETTINGS)}")
    options = parser.parse_args()
    settings = options.settings or SETTINGS
    generations = [one for one in GENERATIONS if options.only in (None, one.name)]
    batches = batches_of(options.count, options.seed)
    names = rules.NAMES if options.rule == ALL else (options.rule,)
    plan = Plan(generations, batches, names)
    expected = None
    failures = 0
    for setting in settings:
        started = time.monotonic()
        if setting == LOST_WORKER:
            result = lose_a_worker(batches)
            failures += "FAILED" in result
        else:
            expected = expected or results_of([forked.fork(alone(plan))])[0]
            found = results_of([forked.fork(work) for work in replicas(setting, plan)])
            wrong = off_the_rule(expected, plan)
            wrong += [line for one in found for line in differences(one, expected)]
            failures += bool(wrong)
            result = "FAILED: " + "; ".join(wrong) if wrong else "as on one device"
            result = f"{options.count * len(expected)} steps {result}"
        print(f"{setting}: {result}, {time.monotonic() - started:.0f} s", flush=True)
    return failures


def alone(plan: Plan) -> Callable[[Send], None]:
    """One device that is given whole batches."""
    return lambda send: send(train_all(None, plan))


def replicas(setting: str, plan: Plan) -> list[Callable[[Send], None]]:
    """The processes of a setting."""
    kind, _, count = setting.partition("-")
    if kind == "mirrored":
        return [lambda send: send(train_all(mirrored(int(count)), plan))]
    cluster = [f"localhost:{port}" for port in free_ports(int(count))]

    def worker(index: int) -> Callable[[Send], None]:
        return lambda send: send(train_all(multi_worker(cluster, index), plan))

    return [worker(index) for index in range(int(count))]


def mirrored(count: int) -> tf.distribute.Strategy:
    """Replicas on logical CPUs of this process."""
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(
        cpu, [tf.config.LogicalDeviceConfiguration()] * count
    )
    return tf.distribute.MirroredStrategy([f"CPU:{number}" for number in range(count)])


def multi_worker(cluster: list[str], index: int) -> tf.distribute.Strategy:
    """One replica in each of several processes."""
    task = {"type": "worker", "index": index}
    os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": cluster}, "task": task})
    options = tf.distribute.experimental.CommunicationOptions(timeout_seconds=TIMEOUT)
    return tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens at."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("localhost", 0))
        return [one.getsockname()[1] for one in sockets]


def results_of(children: list[forked.Child]) -> list[Results]:
    """What the children have sent, after they have ended well."""
    try:
        results = [child.receive() for child in children]
    except (EOFError, TimeoutError):
        for child in children:
            child.kill()
        raise
    assert [child.wait() for child in children] == [0] * len(children)
    return results


def train_all(strategy: tf.distribute.Strategy | None, plan: Plan) -> Results:
    """Trains each generation with each task."""
    tf.get_logger().setLevel("ERROR")
    return {
        name_of(generation, task, rule): train(strategy, generation, task, plan.batches, rule)
        for generation in plan.generations
        for task in TASKS
        for rule in plan.rule_names
    }


def train(
    strategy: tf.distribute.Strategy | None,
    generation: Generation,
    task: str,
    batches: Iterable[Batch],
    rule: str = rules.DEFAULT,
) -> Results:
    """Trains, and returns the loss scale's path and each local copy of the variables."""
    strategy = strategy or tf.distribute.get_strategy()
    with strategy.scope():
        training = Training(
            generation, "adam", VALUES if task == "exact" else NETWORK, rules.loss_scale(rule)
        )
    share = BATCH // strategy.num_replicas_in_sync

    @tf.function(autograph=False)
    def step(batch: Any) -> None:
        def on_replica() -> None:
            first = share * tf.distribute.get_replica_context().replica_id_in_sync_group
            own = {name: array[first : first + share] for name, array in batch.items()}
            training.step(
                lambda: LOSSES[task](training.variables, own), list(training.variables.values())
            )

        strategy.run(on_replica)

    path = []
    for batch in batches:
        step({name: tf.constant(array) for name, array in batch.items()})
        state = (*training.loss_scale_state, training.steps)
        path.append(tuple(float(one.numpy()) for one in state))
    copies = zip(
        *(
            [copy.numpy() for copy in strategy.experimental_local_results(variable)]
            for variable in training.all_variables
        ),
        strict=True,
    )
    return {"path": path, "copies": list(copies)}


def exact_loss(variables: dict[str, tf.Variable], batch: Any) -> tf.Tensor:
    """Has the batch's dyadic coefficients as gradients, dense and sparse."""
    rows = tf.gather(variables["table"], batch["ids"])
    return tf.reduce_sum(batch["coefficients"] * variables["v"]) + tf.reduce_sum(
        batch["rows"] * rows
    )


def network_loss(variables: dict[str, tf.Variable], batch: Any) -> tf.Tensor:
    """A small network's, on its part of the batch."""
    inputs = batch["inputs"]
    outputs = tf.tanh(inputs @ variables["first"]) @ variables["second"]
    wanted = tf.reduce_sum(inputs, 1, keepdims=True)
    return tf.reduce_sum(tf.square(outputs - wanted)) / BATCH


LOSSES = dict(zip(TASKS, (exact_loss, network_loss), strict=True))


def lose_a_worker(batches: list[Batch]) -> str:
    """Kills one worker of two while they train, and returns what became of the other."""
    cluster = [f"localhost:{port}" for port in free_ports(2)]

    def work(index: int) -> Callable[[Send], None]:
        def endless() -> Any:
            while True:
                yield from batches
                send_to[0]("trained")

        send_to: list[Send] = []

        def run(send: Send) -> None:
            send_to.append(send)
            strategy = multi_worker(cluster, index)
            try:
                train(strategy, GENERATIONS[2], "exact", endless())
            except tf.errors.OpError as error:
                send(type(error).__name__)

        return run

    survivor, victim = (forked.fork(work(index)) for index in range(2))
    assert survivor.receive() == victim.receive() == "trained"
    victim.kill()
    killed = time.monotonic()
    try:
        said = "trained"
        while said == "trained":
            said = survivor.receive(timeout=10 * TIMEOUT)
    except TimeoutError:
        said = "FAILED: a hang"
    except EOFError:
        said = f"FAILED: ended with {survivor.wait()}"
    else:
        said = f"the other raised {said} after {time.monotonic() - killed:.1f} s"
    survivor.kill()
    return said


if __name__ == "__main__":
    raise SystemExit(main())
