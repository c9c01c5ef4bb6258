# SPDX-License-Identifier: Apache-2.0
"""Migrates files in processes of their own, because a parser can crash, hang, or be killed.

So of a file over which its process dies, only that is lost. Its time is counted in its own
processor time, so that the result is the same on a busy machine. Workers do not hear of Ctrl-C;
whoever started them stops them, and they end with it.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
import time
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from lossscale_codemods.tables.records import Result, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from lossscale_codemods.tables.options import Options


SECONDS = 60.0
"""The processor time that a file may take; what takes longer hangs the parser."""
BYTES_A_SECOND = 5_000
"""A tenth of what was ever measured; large files get that much more time."""
_OTHER_LOAD = 10
"""How much longer a file may take on the clock: other programs run, or it waits for a disk."""
_OUT_OF_TIME = signal.SIGPROF
"""Ends a worker whose processor time is over, also within native code."""


class Task(NamedTuple):
    """A file to migrate.

    Attributes:
        name: Its path.
        size: How many bytes it has.
        options: What to do with it.
    """

    name: str
    size: int
    options: Options


Work: TypeAlias = "Callable[[Task], Result]"


class _Worker(NamedTuple):
    """A process that migrates a file.

    Attributes:
        task: The file.
        process: The process.
        until: When it has taken too long on the clock, whatever it does.
    """

    task: Task
    process: BaseProcess
    until: float


class Workers:
    """Processes that migrate files. They are stopped at the end of a `with` statement.

    Args:
        jobs: How many at most.
        work: What a worker does with a task.

    Attributes:
        work: What a worker does with a task.
    """

    def __init__(self, jobs: int, work: Work) -> None:
        self._jobs = jobs
        self.work = work
        self._under_way: dict[Connection, _Worker] = {}

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        with held_back():
            for worker in self._under_way.values():
                worker.process.kill()
                worker.process.join()

    def migrate(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Result]]:
        """Yields each task with its result, as they come.

        Args:
            tasks: What to migrate. The largest goes first, so that no worker is left with it.
        """
        waiting = sorted(tasks, key=lambda task: task.size)
        while waiting or self._under_way:
            while waiting and len(self._under_way) < self._jobs:
                self._start(waiting.pop())
            first_until = min(worker.until for worker in self._under_way.values())
            seconds = max(0.0, first_until - time.monotonic())
            for connection in multiprocessing.connection.wait(list(self._under_way), seconds):
                assert isinstance(connection, multiprocessing.connection.Connection)
                worker = self._under_way.pop(connection)
                yield worker.task, _result_of(worker, connection)
            for worker in self._under_way.values():
                if worker.until < time.monotonic():
                    worker.process.kill()

    def _start(self, task: Task) -> None:
        with held_back():
            ours, theirs = multiprocessing.Pipe(duplex=False)
            process = multiprocessing.Process(target=_serve, args=(self.work, task, theirs))
            process.start()
            theirs.close()
            until = time.monotonic() + _OTHER_LOAD * _seconds(task)
            self._under_way[ours] = _Worker(task, process, until)


def _result_of(worker: _Worker, connection: Connection) -> Result:
    """Returns what a worker has sent, or what is to be said of a file over which it died."""
    try:
        result = connection.recv()
        assert isinstance(result, Result)
    except (EOFError, OSError):
        worker.process.join()
        code = worker.process.exitcode
        why = f"The process that parsed it died (exit code {code})"
        if code == -_OUT_OF_TIME or worker.until < time.monotonic():
            why = "The parser took too long over it"
        problem = f"{why}, so nothing is known of it. The file is unchanged. Report it."
        result = Result(b"", b"", Status.UNREADABLE, problem=problem)
    worker.process.join()
    connection.close()
    return result


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """Lets Ctrl-C wait in this thread; processes started meanwhile never hear of it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _seconds(task: Task) -> float:
    """Returns how much processor time a file may take."""
    return SECONDS + task.size / BYTES_A_SECOND


def _serve(work: Work, task: Task, connection: Connection) -> None:
    faulthandler.disable()  # That it died is reported; a trace of C code would only frighten.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(_OUT_OF_TIME, signal.SIG_DFL)
    # A tree is many objects, which live until their file is done.
    gc.set_threshold(200_000)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    signal.setitimer(signal.ITIMER_PROF, _seconds(task))
    result = work(task)
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    connection.send(result)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


class Interrupt:
    """Whether Ctrl-C was pressed."""

    noted = False


@contextlib.contextmanager
def noting() -> Iterator[Interrupt]:
    """Notes Ctrl-C instead of raising `KeyboardInterrupt`, so that a step is always finished."""
    interrupt = Interrupt()
    if not _heard():
        yield interrupt
        return

    def note(*_: Any) -> None:
        interrupt.noted = True

    before = signal.signal(signal.SIGINT, note)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def once() -> Iterator[None]:
    """Lets Ctrl-C raise `KeyboardInterrupt` once; pressed again, it does not disturb the end."""
    if not _heard():
        yield
        return

    def first(*_: Any) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, first)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is first:
            signal.signal(signal.SIGINT, before)


def _heard() -> bool:
    """Whether Ctrl-C reaches this thread; a shell can have switched it off for the process."""
    main = threading.current_thread() is threading.main_thread()
    return main and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
