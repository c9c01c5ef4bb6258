# SPDX-License-Identifier: Apache-2.0
"""Does the work of the codemod's workers in the process of a test.

A worker is forked off this process, which is large: to fork it and to end it takes ten times what a
small file takes. The workers' own tests, in `running/`, start real ones.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from unittest import mock

from lossscale_codemods.running.processes import Task, Workers
from lossscale_codemods.tables.records import Result


def _migrate(workers: Workers, tasks: Iterable[Task]) -> Iterator[tuple[Task, Result]]:
    return ((task, workers.work(task)) for task in list(tasks))


@contextlib.contextmanager
def workers_in_this_process() -> Iterator[None]:
    """Lets no workers start within the block."""
    with mock.patch.object(Workers, "migrate", _migrate):
        yield
