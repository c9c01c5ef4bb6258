# SPDX-License-Identifier: Apache-2.0
"""Kills a training process again and again, and restarts it from its last checkpoint.

    python -m tests.reliability.resume --count 50 [--seed 0] [--rule NAME] [driver ...]

However often and wherever it is killed, it must end with the very variables, slots, loss scale and
counters of a run that nobody killed. A fifth of its steps meet a NaN, so that the scale moves.
With `--rule each`, the drivers take all rules in turn.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import functools
import itertools
import random
import re
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from tests.reliability import forked

# isort: split
import numpy as np
import tensorflow as tf
import tf_keras

from tests.reliability import rules
from tests.reliability.generations import GENERATIONS, Generation, Training
from tests.support import NAN

SAVE_EVERY = 4
EACH = "each"
VALUES = {"weights": np.linspace(-1, 1, 6), "table": np.linspace(0, 2, 10).reshape(5, 2)}
Send: TypeAlias = Callable[[Any], None]
Driver: TypeAlias = Callable[[int, Path, Send], None]
DriverWithRule: TypeAlias = Callable[[str, int, Path, Send], None]


def main() -> int:
    """Runs from the command line. Returns the number of failures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=50, help="kills for each driver")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rule", choices=(*rules.NAMES, EACH), default=rules.DEFAULT)
    parser.add_argument("drivers", nargs="*", metavar="driver", help=f"of {', '.join(DRIVERS)}")
    options = parser.parse_args()
    failures = 0
    names = rules.NAMES if options.rule == EACH else (options.rule,)
    for name, rule in zip(options.drivers or DRIVERS, itertools.cycle(names), strict=False):
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            try:
                kills = kill_and_resume(
                    functools.partial(DRIVERS[name], rule),
                    options.count,
                    random.Random(options.seed),
                    Path(folder),
                )
                result = f"killed during {dict(kills)}, ended as the uninterrupted run"
            except AssertionError as error:
                failures += 1
                result = f"FAILED: {error}"
        print(f"{name}: {result}, {time.monotonic() - started:.0f} s", flush=True)
    return failures


def kill_and_resume(
    driver: Driver, count: int, chance: random.Random, folder: Path
) -> collections.Counter[str]:
    """Runs a driver to its end twice: once in one go, once killed `count` times.

    Args:
        driver: `driver(total, folder, send)` trains for `total` batches, from the last checkpoint
            in `folder` on if there is one. It sends what it is about to do, and at its end
            ("done", its state).
        count: How often to kill it.
        chance: Decides when.
        folder: For the checkpoints.

    Returns:
        What it had last sent when it was killed, and how often.

    Raises:
        AssertionError: The two ends differ, or a life ended by itself.
    """
    # More than that many lives can do, so that none of them comes to the end.
    total = 3 * SAVE_EVERY * (count + 1)
    expected = _live(driver, total, folder / "uninterrupted")
    kills: collections.Counter[str] = collections.Counter()
    while kills.total() < count:
        phase = _live_until_killed(driver, total, folder / "killed", chance)
        kills[phase] += 1
    state = _live(driver, total, folder / "killed")
    different = [name for name in expected if state.get(name) != expected[name]]
    assert state.keys() == expected.keys(), f"{state.keys()} instead of {expected.keys()}"
    assert not different, f"not as in the uninterrupted run: {different}"
    return kills


def _live(driver: Driver, total: int, folder: Path) -> dict[str, bytes]:
    """Lets it run to its end and returns its state."""
    child = forked.fork(lambda send: driver(total, folder, send))
    message: tuple[str, Any] = ("", None)
    try:
        while message[0] != "done":
            message = child.receive()
    except EOFError:
        raise AssertionError(f"a life ended by itself, with {child.wait()}") from None
    assert child.wait() == 0
    state: dict[str, bytes] = message[1]
    return state


def _live_until_killed(driver: Driver, total: int, folder: Path, chance: random.Random) -> str:
    """Kills it at a random moment. Returns what it was doing."""
    child = forked.fork(lambda send: driver(total, folder, send))
    phase = "start"
    # Writing a checkpoint is short, and so is aimed at every other time.
    while_saving = chance.random() < 0.5
    left = chance.randint(1, 2) if while_saving else chance.randint(0, 2 * SAVE_EVERY)
    while left:
        phase = child.receive()[0]
        if phase == "saving" or not while_saving:
            left -= 1
    time.sleep(chance.uniform(0, 0.01))
    child.kill()
    with contextlib.suppress(EOFError):
        while True:
            phase = child.receive()[0]
    code = child.wait()
    assert code == -signal.SIGKILL, f"a life ended by itself, with {code}, after {phase}"
    return phase


def loss_of(batch: Any, variables: dict[str, tf.Variable]) -> tf.Tensor:
    """A loss that depends on the number of the batch alone; NaN for a fifth of the batches."""
    seeds = tf.stack([tf.constant(7, tf.int64), batch])
    inputs = tf.random.stateless_normal([6], seeds)
    rows = tf.gather(variables["table"], tf.random.stateless_uniform([4], seeds, 0, 5, tf.int32))
    bad = tf.random.stateless_uniform([], seeds) < 0.2
    factor = tf.where(bad, NAN, 1.0)
    return factor * (
        tf.square(tf.reduce_sum(variables["weights"] * inputs) - 1.0) + tf.reduce_mean(rows * rows)
    )


def custom_loop(generation: Generation) -> DriverWithRule:
    """A loop of one's own with `tf.train.Checkpoint`."""

    def driver(rule: str, total: int, folder: Path, send: Send) -> None:
        training = Training(generation, "adam", VALUES, rules.loss_scale(rule))
        batch = tf.Variable(0, dtype=tf.int64)
        checkpoint = tf.train.Checkpoint(
            batch=batch, steps=training.steps, optimizer=training.optimizer, **training.variables
        )
        manager = tf.train.CheckpointManager(checkpoint, str(folder), max_to_keep=2)
        manager.restore_or_initialize()

        @tf.function(autograph=False)
        def step() -> None:
            training.step(
                lambda: loss_of(batch, training.variables), list(training.variables.values())
            )
            batch.assign_add(1)

        while batch < total:
            send(("step", None))
            step()
            if batch % SAVE_EVERY == 0:
                send(("saving", None))
                manager.save()
                send(("saved", None))
        send(("done", bits(variables_of(training))))

    return driver


def monitored_session(rule: str, total: int, folder: Path, send: Send) -> None:
    """The loop of TensorFlow 1: `MonitoredTrainingSession`, which saves and restores by itself."""

    class Listener(tf.compat.v1.train.CheckpointSaverListener):
        def before_save(self, session: Any, global_step_value: Any) -> None:
            send(("saving", None))

        def after_save(self, session: Any, global_step_value: Any) -> None:
            send(("saved", None))

    with tf.Graph().as_default():
        training = Training(Generation("v1", "v1"), "adam", VALUES, rules.loss_scale(rule))
        tf.compat.v1.add_to_collection(tf.compat.v1.GraphKeys.GLOBAL_STEP, training.steps)
        batch = tf.Variable(0, dtype=tf.int64, name="batch")
        train_op = training.step(
            lambda: loss_of(batch, training.variables), list(training.variables.values())
        )
        with tf.control_dependencies([train_op]):
            count_op = batch.assign_add(1, read_value=False)
        saver_hook = tf.compat.v1.train.CheckpointSaverHook(
            str(folder), save_steps=SAVE_EVERY, listeners=[Listener()]
        )
        with tf.compat.v1.train.MonitoredTrainingSession(
            checkpoint_dir=str(folder),
            hooks=[saver_hook],
            save_checkpoint_steps=None,
            save_checkpoint_secs=None,
            save_summaries_steps=None,
            save_summaries_secs=None,
        ) as session:
            while session.run(batch) < total:
                send(("step", None))
                session.run(count_op)
            state = bits(variables_of(training), session)
    send(("done", state))


def fit_with_backup(generation: Generation) -> DriverWithRule:
    """`Model.fit` with Keras' `BackupAndRestore`, which saves at the end of each epoch."""

    def driver(rule: str, total: int, folder: Path, send: Send) -> None:
        chance = np.random.default_rng(0)
        inputs = chance.normal(size=(SAVE_EVERY, 8, 3)).astype(np.float32)
        inputs[1, 0, 0] = NAN
        data = tf.data.Dataset.from_tensor_slices((inputs, inputs.sum(-1, keepdims=True)))
        layer = tf_keras.layers.Dense(1, kernel_initializer="ones")
        model = tf_keras.Sequential([tf_keras.Input([3]), layer])
        inner = generation.inner("adam")
        optimizer = generation.wrap(inner, rules.loss_scale(rule))
        model.compile(optimizer, "mse")

        class Tell(tf_keras.callbacks.Callback):
            def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
                send(("step", None))

            def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
                send(("saving", None))

            def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
                send(("saved", None))

        backup = tf_keras.callbacks.BackupAndRestore(str(folder), delete_checkpoint=False)
        model.fit(data, epochs=total // SAVE_EVERY, verbose=0, callbacks=[Tell(), backup])
        slots = inner.variables if generation.family == "new" else inner.weights
        state = optimizer._loss_scale.state.values()
        send(("done", bits([*model.weights, *slots, *state])))

    return driver


def bits(variables: list[tf.Variable], session: Any = None) -> dict[str, bytes]:
    """The bits of variables, by what their names have in common whoever made them.

    A slot that is restored is not made inside the step's branch, nor in the step's order.
    """
    values = session.run(variables) if session else [one.numpy() for one in variables]
    found = {
        re.sub(r"^(cond\w*/)?(Adam/)?", "", variable.name): np.asarray(value).tobytes()
        for variable, value in zip(variables, values, strict=True)
    }
    assert len(found) == len(variables)
    return found


def variables_of(training: Training) -> list[tf.Variable]:
    """Everything that a training leaves behind."""
    return [*training.all_variables, *training.loss_scale_state]


KERAS = [generation for generation in GENERATIONS if generation.is_of_tf_keras]
DRIVERS: dict[str, DriverWithRule] = {
    **{one.name: custom_loop(one) for one in GENERATIONS},
    "v1-monitored-session": monitored_session,
    **{f"{one.name}-fit": fit_with_backup(one) for one in KERAS},
}


if __name__ == "__main__":
    raise SystemExit(main())
