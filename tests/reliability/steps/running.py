# SPDX-License-Identifier: Apache-2.0
"""Runs configurations: in this process, or many in forked ones that end before memory fills."""

from __future__ import annotations

import linecache
import logging
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from tests.reliability import forked

# isort: split
import tensorflow as tf
import tf_keras

from tests.reliability.steps import sides
from tests.reliability.steps.configuration import Configuration
from tests.reliability.steps.program import program

BATCH = 40
"""So many configurations a process runs: TensorFlow keeps every function that it traced."""
TIMEOUT = 600
"""Seconds for one configuration, of which XLA may compile for one or two minutes."""


def outcome(configuration: Configuration) -> str:
    """Runs a configuration on both sides.

    Returns:
        What `sides.difference` returns, or `unsteady: ...` if stock differs from stock, too.
    """
    train = _load(program(configuration))
    result = _compare(train, configuration, is_ours=True)
    if not is_failure(result) or result.startswith("raises"):
        return result
    control = _compare(train, configuration, is_ours=False)
    return f"unsteady: {control}" if is_failure(control) else result


def is_failure(result: str) -> bool:
    """Whether an outcome is neither a match nor a refusal of stock."""
    return not result.startswith(("match", "refused", "unsteady"))


def _compare(train: Any, configuration: Configuration, is_ours: bool) -> str:
    tf.get_logger().setLevel(logging.CRITICAL)
    try:
        return sides.difference(
            train(sides.wrapper(configuration.api, is_ours)),
            train(sides.wrapper(configuration.api, False)),
            configuration.roundings,
        )
    finally:
        tf.get_logger().setLevel(logging.NOTSET)
        tf_keras.backend.clear_session()


def _load(source: str) -> Any:
    # AutoGraph reads the source of what it converts, and this is where Python looks for it.
    name = f"<training {len(linecache.cache)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"__name__": "training"}
    exec(compile(source, name, "exec"), namespace)
    return namespace["train"]


def outcomes(configurations: Sequence[Configuration]) -> Iterator[tuple[Configuration, str]]:
    """Runs configurations in forked processes, and gives each with its outcome.

    A process that ends or hangs is the outcome of the configuration that it was running.
    """
    # Replicas need two devices, and with two devices TensorFlow optimizes graphs in other ways.
    configurations = sorted(configurations, key=_is_of_replicas)
    position = 0
    while position < len(configurations):
        batch = configurations[position : position + BATCH]
        batch = [one for one in batch if _is_of_replicas(one) == _is_of_replicas(batch[0])]
        child = forked.fork(lambda send, batch=batch: _run(batch, send))
        alive = True
        try:
            for configuration in batch:
                try:
                    result = child.receive(TIMEOUT)
                except EOFError:
                    alive, result = False, "crash: the process ended"
                except TimeoutError:
                    alive, result = False, f"hang: nothing for {TIMEOUT} s"
                position += 1
                yield configuration, result
                if not alive:
                    break
        finally:
            child.kill()
            child.wait()


def _is_of_replicas(configuration: Configuration) -> bool:
    return configuration.mode.startswith("replicas")


def _run(configurations: Sequence[Configuration], send: Any) -> None:
    warnings.simplefilter("ignore")
    if _is_of_replicas(configurations[0]):
        cpu = tf.config.list_physical_devices("CPU")[0]
        two = [tf.config.LogicalDeviceConfiguration()] * 2
        tf.config.set_logical_device_configuration(cpu, two)
    # Sums of many threads are rounded in an order of their own.
    tf.config.threading.set_intra_op_parallelism_threads(1)
    for configuration in configurations:
        send(outcome(configuration))
