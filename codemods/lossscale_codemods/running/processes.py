# SPDX-License-Identifier: Apache-2.0
"""Migrates files in other processes, because a parser can crash, hang, or be killed.

A process has one file at a time. If it dies, only that file is lost, and another process takes the
next one. Time is counted in its own processor time, so that the result is the same on a busy
machine. Workers do not hear of Ctrl-C; whoever started them stops them, and they end with it.
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
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection
from typing import Any, NamedTuple, TypeAlias

from lossscale_codemods.tables.options import Options
from lossscale_codemods.tables.records import Result, Status

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


class _Worker:
    """A process that migrates one file after the other.

    Attributes:
        process: The process.
        connection: Where it takes tasks and gives results.
        task: The file that it migrates, or the last one.
        until: When that has taken too long on the clock, whatever the process does.
    """

    task: Task
    until: float

    def __init__(self, work: Work) -> None:
        self.connection, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=_serve, args=(work, theirs))
        self.process.start()
        theirs.close()

    def begin(self, task: Task) -> None:
        """Gives the process a file. If it is dead, `result` says so."""
        self.task = task
        self.until = time.monotonic() + _OTHER_LOAD * _seconds(task)
        with contextlib.suppress(OSError):
            self.connection.send(task)

    def result(self) -> Result:
        """Returns what the process has sent, or what is to be said of a file over which it died."""
        with contextlib.suppress(EOFError, OSError):
            result: Result = self.connection.recv()
            return result
        self.process.join()
        code = self.process.exitcode
        why = f"The process that parsed it died (exit code {code})"
        if code == -_OUT_OF_TIME or self.until < time.monotonic():
            why = "The parser took too long over it"
        problem = f"{why}, so nothing is known of it. The file is unchanged. Report it."
        return Result(b"", b"", Status.UNREADABLE, problem=problem)

    def kill(self) -> None:
        """Ends the process."""
        self.process.kill()
        self.process.join()


class Workers:
    """Up to `jobs` processes that migrate files, stopped at the end of a `with` statement."""

    def __init__(self, jobs: int, work: Work) -> None:
        self._jobs = jobs
        self.work = work
        self._idle: list[_Worker] = []
        self._busy: dict[Any, _Worker] = {}
        """Those that have a file, by their connections."""

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        with held_back():
            for worker in (*self._idle, *self._busy.values()):
                worker.kill()

    def migrate(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Result]]:
        """Yields each task with its result, as they come. The largest goes first."""
        waiting = sorted(tasks, key=lambda task: task.size)
        while waiting or self._busy:
            while waiting and len(self._busy) < self._jobs:
                with held_back():
                    worker = self._idle.pop() if self._idle else _Worker(self.work)
                    self._busy[worker.connection] = worker
                    worker.begin(waiting.pop())
            first_until = min(worker.until for worker in self._busy.values())
            seconds = max(0.0, first_until - time.monotonic())
            for connection in multiprocessing.connection.wait(list(self._busy), seconds):
                worker = self._busy[connection]
                result = worker.result()
                with held_back():
                    del self._busy[connection]
                    if worker.process.is_alive():
                        self._idle.append(worker)
                yield worker.task, result
            for worker in self._busy.values():
                if worker.until < time.monotonic():
                    worker.kill()


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


def _serve(work: Work, connection: Connection) -> None:
    faulthandler.disable()  # That it died is reported; a trace of C code would only frighten.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(_OUT_OF_TIME, signal.SIG_DFL)
    # A tree is many objects, which live until their file is done.
    gc.set_threshold(200_000)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        task = connection.recv()
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
