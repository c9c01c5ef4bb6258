# SPDX-License-Identifier: Apache-2.0
"""Migrates files in processes of their own, because a parser can crash, hang, or be killed.

A worker has one source at a time. If it dies, or takes absurdly long, that source is reported and
another worker goes on with the next. Workers do not hear of Ctrl-C: whoever started them stops
them. Should that process be killed, they find their pipe closed, and end.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection
import signal
import time
from typing import TYPE_CHECKING, NamedTuple

from lossscale_codemods.interrupts import held_back
from lossscale_codemods.records import Result, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.connection import Connection

    from lossscale_codemods.engine import Options

SECONDS = 60.0
"""What a file may take; what takes longer hangs the parser."""
BYTES_A_SECOND = 5_000
"""A tenth of what was ever measured; large files get that much more time."""


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

    def __init__(self, work: Callable[[Task], Result]) -> None:
        ours, theirs = multiprocessing.Pipe()
        self.pipe = ours
        self.index: int | None = None
        self.deadline = 0.0
        with held_back():
            self.process = multiprocessing.Process(
                target=_serve, args=(ours, theirs, work), daemon=True
            )
            self.process.start()
        theirs.close()

    def give(self, index: int, task: Task) -> None:
        self.index = index
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
    tasks: Sequence[Task], jobs: int, work: Callable[[Task], Result]
) -> Iterator[tuple[int, Result]]:
    """Yields the index and the result of each task, as they come.

    Args:
        tasks: What to migrate.
        jobs: How many workers at most.
        work: What a worker does with a task.
    """
    # The largest first, so that no worker is left with it at the end.
    waiting = sorted(range(len(tasks)), key=lambda i: tasks[i].size)
    idle = [_Worker(work) for _ in range(min(jobs, len(tasks)))]
    busy: list[_Worker] = []
    try:
        while waiting or busy:
            while idle and waiting:
                worker = idle.pop()
                index = waiting.pop()
                busy.append(worker)
                worker.give(index, tasks[index])
            for worker in _ready(busy):
                index = worker.index or 0
                answer = worker.answer()
                busy.remove(worker)
                if isinstance(answer, Result):
                    idle.append(worker)
                    yield index, answer
                else:
                    worker.stop()
                    idle.append(_Worker(work))
                    yield index, _unknown(answer)
    finally:
        with held_back():
            for worker in [*idle, *busy]:
                worker.stop()


def _ready(busy: Sequence[_Worker]) -> list[_Worker]:
    """Waits until some workers have answered, died, or had their time."""
    first = min(worker.deadline for worker in busy)
    answered = multiprocessing.connection.wait(
        [worker.pipe for worker in busy], max(0.0, first - time.monotonic())
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
