# SPDX-License-Identifier: Apache-2.0
"""Migrates files in processes of their own, because a parser can crash, hang, or be killed.

A worker has one file at a time. Its time is counted in its own processor time, so that the result
is the same on a busy machine. If a worker dies, another pool starts, and each file that was under
way goes to a worker that has nothing else to do: so only the file to blame is reported. Workers do
not hear of Ctrl-C; whoever started them stops them, and they end with it.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import faulthandler
import gc
import multiprocessing
import os
import signal
import threading
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from lossscale_codemods.tables.records import Result, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from concurrent.futures import Future
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
        self._pool: ProcessPoolExecutor | None = None
        self._size = 0
        self._others: set[BaseProcess] = set()
        self._first: list[BaseProcess] = []
        self._has_stalled = False

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        with held_back():
            self._stop()

    def migrate(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Result]]:
        """Yields each task with its result, as they come.

        Args:
            tasks: What to migrate. The largest goes first, so that no worker is left with it.
        """
        waiting = sorted(tasks, key=lambda task: task.size)
        yield from self._migrate(waiting, min(self._jobs, len(waiting)))

    def _migrate(self, waiting: list[Task], workers: int) -> Iterator[tuple[Task, Result]]:
        under_way: dict[Future[Result], Task] = {}
        lost: list[Task] = []
        """Tasks that were under way when a worker died."""
        suspects: list[Task] = []
        while waiting or under_way:
            is_broken = False
            while waiting and len(under_way) < max(workers, self._size) and not is_broken:
                try:
                    under_way[self._submit(waiting[-1], workers)] = waiting[-1]
                    waiting.pop()
                except BrokenProcessPool:
                    is_broken = True
            for future in self._ended(under_way):
                task = under_way.pop(future)
                try:
                    yield task, future.result()
                except BrokenProcessPool:
                    is_broken = True
                    lost.append(task)
            if is_broken and not under_way:
                was_alone = self._size == 1
                self._stop()
                if was_alone:
                    yield from ((task, self._unknown()) for task in lost)
                else:
                    suspects += lost
                lost = []
        for task in suspects:
            self._stop()
            yield from self._migrate([task], 1)

    def _submit(self, task: Task, workers: int) -> Future[Result]:
        with held_back():
            if self._pool is None:
                self._has_stalled = False
                self._others = set(multiprocessing.active_children())
                self._pool = ProcessPoolExecutor(workers, initializer=_prepare)
                self._size = workers
                self._pool.submit(_do_nothing).result()
                self._first = self._processes()
            return self._pool.submit(_serve, self.work, task)

    def _ended(self, under_way: Mapping[Future[Result], Task]) -> Collection[Future[Result]]:
        """Waits until some have ended, and kills the workers if none does."""
        if not under_way:
            return ()
        longest = _OTHER_LOAD * max(_seconds(task) for task in under_way.values())
        ended, _ = concurrent.futures.wait(under_way, longest, FIRST_COMPLETED)
        if not ended:
            self._has_stalled = True
            self._kill()
            ended, _ = concurrent.futures.wait(under_way)
        return ended

    def _processes(self) -> list[BaseProcess]:
        return [one for one in multiprocessing.active_children() if one not in self._others]

    def _kill(self) -> None:
        for process in self._processes():
            process.kill()

    def _stop(self) -> None:
        if self._pool is not None:
            self._kill()
            self._pool.shutdown(cancel_futures=True)
        self._pool, self._size = None, 0

    def _unknown(self) -> Result:
        """Returns what is to be said of a file over which the only worker died."""
        code = next((process.exitcode for process in self._first), None)
        if self._has_stalled or code == -_OUT_OF_TIME:
            why = "The parser took too long over it"
        else:
            why = f"The process that parsed it died (exit code {code})"
        problem = f"{why}, so nothing is known of it. The file is unchanged. Report it."
        return Result(b"", b"", Status.UNREADABLE, problem=problem)


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


def _prepare() -> None:
    faulthandler.disable()  # That it died is reported; a trace of C code would only frighten.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(_OUT_OF_TIME, signal.SIG_DFL)
    # A tree is many objects, which live until their file is done.
    gc.set_threshold(200_000)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _do_nothing() -> None:
    """What a pool does first, so that its first process is there and known."""


def _serve(work: Work, task: Task) -> Result:
    signal.setitimer(signal.ITIMER_PROF, _seconds(task))
    result = work(task)
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    return result


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
