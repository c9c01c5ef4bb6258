# SPDX-License-Identifier: Apache-2.0
"""Migrates files in processes of their own, because a parser can crash, hang, or be killed.

A worker has one source at a time. If it dies, or takes absurdly long, that source is reported and
another worker goes on with the next. Workers do not hear of Ctrl-C: whoever started them stops
them. Should that process be killed, they find their pipe closed, and end.
"""

from __future__ import annotations

import bisect
import contextlib
import multiprocessing
import multiprocessing.connection
import signal
import time
from typing import TYPE_CHECKING, NamedTuple

from lossscale_codemods.interrupts import held_back
from lossscale_codemods.records import Result, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection

    from lossscale_codemods.options import Options

SECONDS = 60.0
"""What a file may take; what takes longer hangs the parser."""
BYTES_A_SECOND = 5_000
"""A tenth of what was ever measured; large files get that much more time."""
_SECONDS_BETWEEN_LOOKS = 0.002
"""To ask for answers takes a hundredth of that."""


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


class _Worker:
    """A process, and the task that it has."""

    task: Task

    def __init__(self, work: Callable[[Task], Result]) -> None:
        ours, theirs = multiprocessing.Pipe()
        self.pipe = ours
        self.deadline = 0.0
        with held_back():
            self.process = multiprocessing.Process(
                target=_serve, args=(ours, theirs, work), daemon=True
            )
            self.process.start()
        theirs.close()

    def give(self, task: Task) -> None:
        self.task = task
        self.deadline = time.monotonic() + SECONDS + task.size / BYTES_A_SECOND
        with contextlib.suppress(OSError):  # It died; its answer says so.
            self.pipe.send(task)

    def answer(self) -> Result | str:
        """Returns its result, or why there is none."""
        if not self.pipe.poll():
            return "The parser took too long over it"
        try:
            result: Result = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join(1)
            return f"The process that parsed it died (exit code {self.process.exitcode})"
        return result

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def migrate_all(
    tasks: Iterable[Task | None], jobs: int, work: Callable[[Task], Result], *, pays: int = 0
) -> Iterator[tuple[Task, Result]]:
    """Yields each task with its result, as they come.

    Args:
        tasks: What to migrate. They may still be looked for while workers are at work: `None`
            stands for a step in which none was found.
        jobs: How many workers at most.
        work: What a worker does with a task.
        pays: For how many bytes that wait another worker is started.
    """
    workers = _Workers(jobs, work, pays)
    try:
        for task in tasks:
            if task is not None:
                workers.add(task)
            yield from workers.answers(at_once=True)
        while workers.have_work:
            yield from workers.answers()
    finally:
        workers.stop()


class _Workers:
    """All workers, and the tasks that wait for one."""

    def __init__(self, jobs: int, work: Callable[[Task], Result], pays: int) -> None:
        self.jobs = jobs
        self.work = work
        self.pays = pays
        self.waiting: list[Task] = []
        self.waiting_bytes = 0
        self.idle: list[_Worker] = []
        self.busy: list[_Worker] = []
        self.next_look = 0.0

    @property
    def have_work(self) -> bool:
        return bool(self.waiting or self.busy)

    def add(self, task: Task) -> None:
        # The largest first, so that no worker is left with it at the end.
        bisect.insort(self.waiting, task, key=lambda waiting: waiting.size)
        self.waiting_bytes += task.size

    def answers(self, *, at_once: bool = False) -> Iterator[tuple[Task, Result]]:
        """Gives out what waits, and yields what has come back.

        Args:
            at_once: Whether not to wait until there is an answer.
        """
        if at_once and time.monotonic() < self.next_look:
            return
        self._give_out()
        for worker in _ready(self.busy, at_once=at_once):
            task, answer = worker.task, worker.answer()
            self.busy.remove(worker)
            if isinstance(answer, str):
                worker.stop()
                answer = _unknown(answer)
            else:
                self.idle.append(worker)
            self._give_out()
            yield task, answer
        self.next_look = time.monotonic() + _SECONDS_BETWEEN_LOOKS

    def _give_out(self) -> None:
        while self.waiting:
            if not self.idle and not self._another_pays():
                return
            worker = self.idle.pop() if self.idle else _Worker(self.work)
            task = self.waiting.pop()
            self.waiting_bytes -= task.size
            self.busy.append(worker)
            worker.give(task)

    def _another_pays(self) -> bool:
        if not self.busy:
            return True
        return len(self.busy) < self.jobs and self.waiting_bytes >= self.pays

    def stop(self) -> None:
        with held_back():
            for worker in [*self.idle, *self.busy]:
                worker.stop()


def _ready(busy: Sequence[_Worker], *, at_once: bool) -> list[_Worker]:
    """Returns the workers that have answered, died, or had their time; waits for some."""
    if not busy:
        return []
    now = time.monotonic()
    first = now if at_once else min(worker.deadline for worker in busy)
    answered = multiprocessing.connection.wait(
        [worker.pipe for worker in busy], max(0.0, first - now)
    )
    now = time.monotonic()
    return [w for w in busy if w.pipe in answered or w.deadline <= now]


def _unknown(why: str) -> Result:
    problem = f"{why}, so nothing is known of it. The file is as it was; please report it."
    return Result(b"", b"", Status.UNREADABLE, problem=problem)


def _serve(theirs: Connection, pipe: Connection, work: Callable[[Task], Result]) -> None:
    theirs.close()  # Or the pipe would stay open when the parent has gone.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(EOFError, OSError):
        while True:
            pipe.send(work(pipe.recv()))
