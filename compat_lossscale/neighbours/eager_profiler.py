# SPDX-License-Identifier: Apache-2.0
"""`tensorflow.python.eager.profiler`, gone since TensorFlow 2.20, on `tf.profiler.experimental`.

Old programs import it in the module of their callbacks, and few use it.
"""

from __future__ import annotations

import datetime
import tempfile
from pathlib import Path
from typing import Any

import tensorflow as tf

_SUFFIX = ".profile-empty"
_running: list[tempfile.TemporaryDirectory[str]] = []
"""Where TensorFlow puts what it profiles; empty if nothing is profiled."""


class ProfilerAlreadyRunningError(Exception):
    """Something is profiled already."""


class ProfilerNotRunningError(Exception):
    """Nothing is profiled."""


def start() -> None:
    """Starts to profile.

    Raises:
        ProfilerAlreadyRunningError: A profiler is at work.
    """
    if _running:
        raise ProfilerAlreadyRunningError("A profiler is running already. Stop that one first.")
    folder = tempfile.TemporaryDirectory()
    try:
        tf.profiler.experimental.start(folder.name)
    except tf.errors.AlreadyExistsError as error:
        folder.cleanup()
        raise ProfilerAlreadyRunningError(str(error)) from None
    _running.append(folder)


def stop() -> bytes:
    """Stops, and returns what was profiled, for `save`.

    Raises:
        ProfilerNotRunningError: None is running.
    """
    if not _running:
        raise ProfilerNotRunningError("No profiler is running. Start one first.")
    with _running.pop() as folder:
        tf.profiler.experimental.stop()
        files = sorted(Path(folder).rglob("*.xplane.pb"))
        return files[0].read_bytes() if files else b""


def maybe_create_event_file(logdir: str) -> None:
    """Makes the empty file of events by which TensorBoard knows a folder with profiles."""
    if not any(name.endswith(_SUFFIX) for name in tf.io.gfile.listdir(logdir)):
        tf.summary.create_file_writer(logdir, filename_suffix=_SUFFIX).close()


def save(logdir: str, result: bytes) -> None:
    """Writes what `stop` returned, where TensorBoard finds it below `logdir`."""
    now = f"{datetime.datetime.now():%Y-%m-%d_%H-%M-%S}"
    folder = tf.io.gfile.join(logdir, "plugins", "profile", now)
    tf.io.gfile.makedirs(folder)
    maybe_create_event_file(logdir)
    with tf.io.gfile.GFile(tf.io.gfile.join(folder, "local.xplane.pb"), "wb") as file:
        file.write(result)


def start_profiler_server(port: int) -> None:
    """Lets others profile this process, at a port."""
    tf.profiler.experimental.server.start(port)


class Profiler:
    """Profiles what is done in a `with` statement, into a folder."""

    def __init__(self, logdir: str) -> None:
        self._logdir = logdir

    def __enter__(self) -> None:
        start()

    def __exit__(self, *error: Any) -> None:
        save(self._logdir, stop())
