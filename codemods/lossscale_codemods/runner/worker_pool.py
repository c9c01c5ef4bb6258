# SPDX-License-Identifier: Apache-2.0
"""Migrates files in processes of their own, because a parser can crash, hang, or be killed.

A worker has one source at a time. If it dies, or takes absurdly long, that source is reported and
another worker goes on with the next. What it takes is counted in its own processor time, so that
the result is the same on a busy machine. Workers do not hear of Ctrl-C: whoever started them stops
them. Should that process be killed, they find their pipe closed, and end.

Workers that have nothing to parse search files as well. If one dies over that, or none has time,
it is done here.

What a full parse needs takes longer to load than most parses take. So one worker loads it, for all
files that need such a look, and another only if many of them wait.
"""

from __future__ import annotations

import bisect
import contextlib
import faulthandler
import multiprocessing
import multiprocessing.connection
import signal
import time
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from lossscale_codemods.runner.batches import Batch, Searched, search
from lossscale_codemods.runner.interrupts import held_back
from lossscale_codemods.vocabulary.records import Result, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection

    from lossscale_codemods.vocabulary.options import Options

SECONDS = 60.0
"""The processor time that a file may take; what takes longer hangs the parser."""
BYTES_A_SECOND = 5_000
"""A tenth of what was ever measured; large files get that much more time."""
_OTHER_LOAD = 10
"""How much longer a job may take on the clock: other programs run, or it waits for a disk."""
_OUT_OF_TIME = signal.SIGPROF
"""Ends a worker whose processor time is over, also within native code."""
_TOO_LONG = "The parser took too long over it"
_BATCHES_THAT_PAY = 16
"""Batches to search, up to which it takes less time than to start a worker for the next."""


class Task(NamedTuple):
    """A file to migrate.

    Attributes:
        name: Its path.
        size: How many bytes it has.
        options: What to do with it.
        fully: Whether it is known that it needs a full parse.
    """

    name: str
    size: int
    options: Options
    fully: bool = False


Work: TypeAlias = "Callable[[Task], Result | None]"
"""What a worker does with a task. No result means that it turned out to need a full parse."""


class _Waiting:
    """Tasks that wait for a worker."""

    def __init__(self) -> None:
        self.tasks: list[Task] = []
        self.bytes = 0

    def add(self, task: Task) -> None:
        # The largest first, so that no worker is left with it at the end.
        bisect.insort(self.tasks, task, key=lambda waiting: waiting.size)
        self.bytes += task.size

    def take(self) -> Task:
        task = self.tasks.pop()
        self.bytes -= task.size
        return task


class _Worker:
    """A process, and the task that it has."""

    job: Task | Batch

    def __init__(self, work: Work) -> None:
        self.looks_fully = False
        ours, theirs = multiprocessing.Pipe()
        self.pipe = ours
        self.deadline = 0.0
        with held_back():
            self.process = multiprocessing.Process(
                target=_serve, args=(ours, theirs, work), daemon=True
            )
            self.process.start()
        theirs.close()

    def give(self, job: Task | Batch) -> None:
        self.job = job
        self.deadline = time.monotonic() + _OTHER_LOAD * _seconds(job)
        if isinstance(job, Task):
            self.looks_fully |= job.fully
        with contextlib.suppress(OSError):  # It died; its answer says so.
            self.pipe.send(job)

    def answer(self) -> Result | Searched | str | None:
        """Returns what came of its job, or why that is not known."""
        if not self.pipe.poll():
            return _TOO_LONG
        try:
            answer: Result | Searched | None = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join(1)
            if self.process.exitcode == -_OUT_OF_TIME:
                return _TOO_LONG
            return f"The process that parsed it died (exit code {self.process.exitcode})"
        return answer

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def migrate_all(
    steps: Iterable[Task | Batch | None],
    jobs: int,
    work: Work,
    *,
    pays: int = 0,
    note: Callable[[Batch, Searched], None] | None = None,
) -> Iterator[tuple[Task, Result]]:
    """Yields each task with its result, as they come.

    Args:
        steps: What to migrate, and batches to search for more of it; `None` stands for a step that
            has to wait for what is under way.
        jobs: How many workers at most.
        work: What a worker does with a task.
        pays: For how many bytes that wait another worker is started; for half as many, another one
            gives full parses.
        note: Is told what was found in each batch, before the next step is asked for, or later.
    """
    workers = _Workers(jobs, work, pays, note)
    try:
        for step in steps:
            if isinstance(step, Batch):
                workers.have_searched(step)
            elif step is not None:
                workers.add(step)
            yield from workers.answers(at_once=step is not None)
        while workers.have_work:
            yield from workers.answers()
    finally:
        workers.stop()


class _Workers:
    """All workers, and the tasks that wait for one."""

    def __init__(
        self,
        jobs: int,
        work: Work,
        pays: int,
        note: Callable[[Batch, Searched], None] | None,
    ) -> None:
        self.jobs = jobs
        self.work = work
        self.pays = pays
        self.note = note
        self.waiting = _Waiting()
        self.for_full_look = _Waiting()
        self.idle: list[_Worker] = []
        self.busy: list[_Worker] = []

    @property
    def have_work(self) -> bool:
        return bool(self.waiting.tasks or self.for_full_look.tasks or self.busy)

    def add(self, task: Task) -> None:
        (self.for_full_look if task.fully else self.waiting).add(task)

    def have_searched(self, batch: Batch) -> None:
        """Has a worker search a batch, or searches it here and now."""
        may_start = len(self.busy) < self.jobs and batch.number >= _BATCHES_THAT_PAY
        if self.idle:
            self._give(self.idle.pop(), batch)
        elif may_start:
            self._give(_Worker(self.work), batch)
        else:
            self._note(batch, search(batch))

    def answers(self, *, at_once: bool = False) -> Iterator[tuple[Task, Result]]:
        """Gives out what waits, and yields what has come back.

        Args:
            at_once: Whether not to wait until there is an answer.
        """
        self._give_out()
        for worker in _ready(self.busy, at_once=at_once):
            job, answer = worker.job, worker.answer()
            self.busy.remove(worker)
            if isinstance(answer, str):
                worker.stop()
                answer = _unknown(answer)
            else:
                self.idle.append(worker)
            if isinstance(job, Batch):
                self._note(job, answer if isinstance(answer, Searched) else search(job))
            elif answer is None:
                self.add(job._replace(fully=True))
            self._give_out()
            if isinstance(job, Task) and isinstance(answer, Result):
                yield job, answer

    def _note(self, batch: Batch, searched: Searched) -> None:
        if self.note is not None:
            self.note(batch, searched)

    def _give_out(self) -> None:
        while self.for_full_look.tasks and (worker := self._for_full_look()):
            self._give(worker, self.for_full_look.take())
        while self.waiting.tasks and (worker := self._any_for(self.waiting)):
            self._give(worker, self.waiting.take())

    def _give(self, worker: _Worker, job: Task | Batch) -> None:
        self.busy.append(worker)
        worker.give(job)

    def _for_full_look(self) -> _Worker | None:
        for position, worker in enumerate(self.idle):
            if worker.looks_fully:
                return self.idle.pop(position)
        will_come = any(worker.looks_fully for worker in self.busy)
        if will_come and self.for_full_look.bytes < self.pays / 2:
            return None
        return self._any_for(self.for_full_look)

    def _any_for(self, waiting: _Waiting) -> _Worker | None:
        if self.idle:
            return self.idle.pop()
        pays = len(self.busy) < self.jobs and waiting.bytes >= self.pays
        return _Worker(self.work) if pays or not self.busy else None

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


def _seconds(job: Task | Batch) -> float:
    """Returns how much processor time a job may take."""
    return SECONDS + (job.size / BYTES_A_SECOND if isinstance(job, Task) else 0.0)


def _unknown(why: str) -> Result:
    problem = f"{why}, so nothing is known of it. The file is unchanged. Report it."
    return Result(b"", b"", Status.UNREADABLE, problem=problem)


def _serve(theirs: Connection, pipe: Connection, work: Work) -> None:
    theirs.close()  # Or the pipe would stay open when the parent has gone.
    faulthandler.disable()  # That it died is reported; a trace of C code would only frighten.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(_OUT_OF_TIME, signal.SIG_DFL)
    with contextlib.suppress(EOFError, OSError):
        while True:
            job = pipe.recv()
            signal.setitimer(signal.ITIMER_PROF, _seconds(job))
            answer = search(job) if isinstance(job, Batch) else work(job)
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            pipe.send(answer)
