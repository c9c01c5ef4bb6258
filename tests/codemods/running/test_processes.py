# SPDX-License-Identifier: Apache-2.0
"""Workers that crash, hang, panic or are orphaned: the other files are done all the same."""

from __future__ import annotations

import faulthandler
import itertools
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lossscale_codemods.running import one_file, processes
from lossscale_codemods.running.processes import Task, Workers
from lossscale_codemods.tables.options import Options
from lossscale_codemods.tables.records import Result, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lossscale_codemods.running.processes import Work


def work(task: Task) -> Result:
    misdeeds: dict[str, Callable[[], object]] = {
        "exit": lambda: os._exit(3),
        "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
        "crash": lambda: (faulthandler.disable(), os.kill(os.getpid(), signal.SIGSEGV)),
        "hang": lambda: time.sleep(1000),
        "compute": lambda: sum(1 for _ in itertools.count()),
        "wait": lambda: time.sleep(1),
        "stopped": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    }
    misdeeds.get(task.name, bool)()
    return Result(b"", b"", Status.UNCHANGED)


def migrate_all(tasks: Sequence[Task], jobs: int, work: Work) -> list[tuple[Task, Result]]:
    with Workers(jobs, work) as workers:
        return list(workers.migrate(tasks))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("jobs", [2, 1, 5])
def test_only_the_bad_ones_are_lost(monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    monkeypatch.setattr(processes, "SECONDS", 0.5)
    monkeypatch.setattr(processes, "_OTHER_LOAD", 4)
    names = ["exit", "a", "killed", "b", "crash", "c", "hang", "stopped", "d", "compute"]
    tasks = [Task(name, 100, Options()) for name in names]
    problems = {task.name: result.problem for task, result in migrate_all(tasks, jobs, work)}
    assert sorted(problems) == sorted(names)
    assert [name for name in names if not problems[name]] == ["a", "b", "c", "d"]
    assert "died (exit code 3)" in problems["exit"]
    assert "died (exit code -9)" in problems["killed"]
    assert "died (exit code -11)" in problems["crash"]
    assert "too long" in problems["hang"]
    assert "too long" in problems["stopped"]
    assert "too long" in problems["compute"]


def test_time_in_which_a_worker_does_not_compute_is_not_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(processes, "SECONDS", 0.5)
    [(_, result)] = migrate_all([Task("wait", 0, Options())], 1, work)
    assert result.problem == ""


def test_each_job_has_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "SECONDS", 0.5)
    monkeypatch.setattr(processes, "_OTHER_LOAD", 200)
    tasks = [Task(name, 0, Options()) for name in "abc"]
    assert [result.problem for _, result in migrate_all(tasks, 1, compute)] == ["", "", ""]


def compute(_: Task) -> Result:
    start = time.process_time()
    while time.process_time() < start + 0.3:
        pass
    return Result(b"", b"", Status.UNCHANGED)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_worker_migrates_one_file_after_the_other(
    monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    monkeypatch.setattr(multiprocessing, "Process", multiprocessing.get_context(method).Process)
    tasks = [Task(name, 0, Options()) for name in "ab"]
    with Workers(1, say_who) as workers:
        said = {result.problem for _ in range(2) for _, result in workers.migrate(tasks)}
    assert len(said) == 1
    assert said != {str(os.getpid())}


def say_who(_: Task) -> Result:
    return Result(b"", b"", Status.UNCHANGED, problem=str(os.getpid()))


def test_workers_are_stopped_at_the_end() -> None:
    with pytest.raises(KeyboardInterrupt):
        _interrupt()
    assert not multiprocessing.active_children()


def _interrupt() -> None:
    with Workers(2, work) as workers:
        for _ in workers.migrate([Task("hang", 1, Options()), Task("a", 2, Options())]):
            raise KeyboardInterrupt


class Panic(BaseException):
    """What libcst's native parser raises for mistakes of its own is no `Exception` either."""


@pytest.mark.parametrize("error", [Panic("at the disco"), MemoryError(), SystemExit(3)])
def test_a_panic_is_a_report_and_no_traceback(
    monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def failing(*_: object) -> None:
        raise error

    monkeypatch.setattr(one_file, "migrate_fully", failing)
    result = one_file.migrate_file(Path("a.py"), b"x", Options())
    assert result.status is Status.REFUSED
    assert type(error).__name__ in result.problem


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    code = (
        "import os, sys, time; from pathlib import Path\n"
        "from lossscale_codemods.running.processes import Task, Workers\n"
        "def work(task):\n"
        "    Path(sys.argv[1], str(os.getpid())).touch(); time.sleep(0.2)\n"
        "    from lossscale_codemods.tables.records import Result, Status\n"
        "    return Result(b'', b'', Status.UNCHANGED)\n"
        "tasks = [Task('a', 0, None)] * 1000\n"
        "with Workers(3, work) as workers:\n"
        "    for _ in workers.migrate(tasks): print('go', flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, tmp_path], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()
    deadline = time.monotonic() + 60
    while any(_runs(path.name) for path in tmp_path.iterdir()):
        assert time.monotonic() < deadline, "a worker outlived its parent"
        time.sleep(0.05)
    assert list(tmp_path.iterdir())


def _runs(process: str) -> bool:
    try:
        state = Path("/proc", process, "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
