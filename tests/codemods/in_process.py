# SPDX-License-Identifier: Apache-2.0
"""Does the work of the codemod's workers in the process of a test.

A worker is forked off this process, which is large: to fork it and to end it takes ten times what a
small file takes. The workers' own tests, in `runner/`, start real ones.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from unittest import mock

from lossscale_codemods.runner import batches, worker_pool


class _InProcess:
    """What the pool takes for a worker. It has its answer as soon as it is given a job."""

    def __init__(self, work: worker_pool.Work) -> None:
        self.work = work
        self.looks_fully = False

    def give(self, job: worker_pool.Task | batches.Batch) -> None:
        self.job = job
        if isinstance(job, batches.Batch):
            self.result: object = batches.search(job)
        else:
            self.looks_fully |= job.fully
            self.result = self.work(job)

    def answer(self) -> object:
        return self.result

    def stop(self) -> None:
        """Does nothing: no process is to be ended."""


def _all_of(busy: Sequence[_InProcess], *, at_once: bool) -> list[_InProcess]:
    del at_once
    return list(busy)


@contextlib.contextmanager
def workers_in_this_process() -> Iterator[None]:
    """Lets no workers start within the block."""
    with (
        mock.patch.object(worker_pool, "_Worker", _InProcess),
        mock.patch.object(worker_pool, "_ready", _all_of),
    ):
        yield
