# SPDX-License-Identifier: Apache-2.0
"""A step on two workers, one of whose gradients is NaN, with Keras' own class or this package's.

    python -m tests.keras3.two_workers stock|ours

Prints what became of each worker, as JSON: its variable, or that its collective operation timed
out.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

TIMEOUT = 20
"""Seconds after which a collective operation gives up. Without it, it waits forever."""
TIMED_OUT = "timed out"


def observe(which: str) -> list[str]:
    """Runs both workers.

    Args:
        which: `stock` for Keras' own class, `ours` for this package's.

    Returns:
        What became of each worker.
    """
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(2)]
        for one in sockets:
            one.bind(("localhost", 0))
        cluster = [f"localhost:{one.getsockname()[1]}" for one in sockets]
    workers = []
    for index in range(2):
        task = {"type": "worker", "index": index}
        config = json.dumps({"cluster": {"worker": cluster}, "task": task})
        workers.append(
            subprocess.Popen(
                [sys.executable, "-m", __spec__.name, which, str(index)],
                cwd=Path(__file__).parents[2],
                env={**os.environ, "KERAS_BACKEND": "tensorflow", "TF_CONFIG": config},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        )
    found = [worker.stdout.readline().strip() for worker in workers if worker.stdout]
    for worker in workers:
        # A worker that has ended would be another error of the other one.
        worker.communicate()
    return found


def work(which: str, index: int) -> str:
    """Takes the step in this process, which is one of the workers."""
    import keras
    import tensorflow as tf

    from compat_lossscale.keras3 import LossScaleOptimizer

    stock = keras.optimizers.LossScaleOptimizer
    options = tf.distribute.experimental.CommunicationOptions(timeout_seconds=TIMEOUT)
    strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)
    with strategy.scope():
        variable = keras.Variable([1.0])
        cls = stock if which == "stock" else LossScaleOptimizer
        optimizer = cls(keras.optimizers.SGD(1.0), initial_scale=8.0)
        optimizer.build([variable])
    gradient = tf.constant([float("nan") if index else 8.0])

    def on_replica() -> None:
        optimizer.scale_loss(tf.constant(1.0))
        optimizer.apply([gradient], [variable])

    try:
        tf.function(lambda: strategy.run(on_replica))()
    except tf.errors.DeadlineExceededError:
        return TIMED_OUT
    return str(float(variable.numpy()[0]))


if __name__ == "__main__":
    if len(sys.argv) == 2:
        print(json.dumps(observe(sys.argv[1])))
    else:
        print(work(sys.argv[1], int(sys.argv[2])), flush=True)
        sys.stdin.read()
        os._exit(0)
