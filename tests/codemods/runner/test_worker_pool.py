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
from lossscale_codemods.runner import file_task, worker_pool
from lossscale_codemods.runner.batches import Batch, Searched
from lossscale_codemods.runner.worker_pool import Task, migrate_all
from lossscale_codemods.vocabulary.options import Options
from lossscale_codemods.vocabulary.records import Result, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


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


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_only_the_bad_ones_are_lost(monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    monkeypatch.setattr(worker_pool, "SECONDS", 0.5)
    monkeypatch.setattr(worker_pool, "_OTHER_LOAD", 4)
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
    monkeypatch.setattr(worker_pool, "SECONDS", 0.5)
    [(_, result)] = migrate_all([Task("wait", 0, Options())], 1, work)
    assert result.problem == ""


def test_each_job_has_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool, "SECONDS", 0.5)
    tasks = [Task(name, 0, Options()) for name in "abc"]
    assert [result.problem for _, result in migrate_all(tasks, 1, compute)] == ["", "", ""]


def compute(_: Task) -> Result:
    start = time.process_time()
    while time.process_time() < start + 0.3:
        pass
    return Result(b"", b"", Status.UNCHANGED)


def test_tasks_are_done_while_more_are_looked_for() -> None:
    done: list[Task] = []

    def tasks() -> Iterator[Task | Batch]:
        yield Task("first", 100, Options())
        deadline = time.monotonic() + 60
        while not done:
            assert time.monotonic() < deadline, "nothing was done before all was found"
            yield Batch(0, [])
        yield Task("second", 100, Options())

    for task, _ in migrate_all(tasks(), 2, work):
        done.append(task)
    assert [task.name for task in done] == ["first", "second"]


def batches(tmp_path: Path, count: int) -> list[Batch]:
    """Makes batches, of a file each; in every fourth is an old word."""
    names = [tmp_path / f"{number}.py" for number in range(count)]
    for number, name in enumerate(names):
        name.write_text("" if number % 4 else "LossScale")
    return [Batch(number, [str(name)]) for number, name in enumerate(names)]


def test_workers_search_as_well_once_it_pays(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here: list[int] = []

    def search(batch: Batch) -> Searched:
        if os.getpid() == parent:
            here.append(batch.number)
        time.sleep(0.01)
        return real(batch)

    parent, real = os.getpid(), worker_pool.search
    monkeypatch.setattr(worker_pool, "search", search)
    few = worker_pool._BATCHES_THAT_PAY
    todo = batches(tmp_path, few + 8)
    noted: dict[int, Searched] = {}
    steps = [*todo, Task("a", 100, Options())]
    results = migrate_all(
        steps, 2, work, note=lambda batch, searched: noted.update({batch.number: searched})
    )
    assert [task.name for task, _ in results] == ["a"]
    assert noted == {batch.number: real(batch) for batch in todo}
    assert here[:few] == list(range(few))
    assert len(here) < len(todo)


@pytest.mark.parametrize("misdeed", ["exit", "killed", "hang"])
def test_what_a_worker_dies_over_is_searched_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, misdeed: str
) -> None:
    def search(batch: Batch) -> Searched:
        if os.getpid() != parent:
            work(Task(misdeed, 0, Options()))
        return real(batch)

    parent, real = os.getpid(), worker_pool.search
    monkeypatch.setattr(worker_pool, "search", search)
    monkeypatch.setattr(worker_pool, "SECONDS", 0.3)
    monkeypatch.setattr(worker_pool, "_OTHER_LOAD", 1)
    monkeypatch.setattr(worker_pool, "_BATCHES_THAT_PAY", 0)
    todo = batches(tmp_path, 6)
    noted: dict[int, Searched] = {}
    results = migrate_all(
        todo, 2, work, note=lambda batch, searched: noted.update({batch.number: searched})
    )
    assert list(results) == []
    assert noted == {batch.number: real(batch) for batch in todo}


def test_another_worker_is_started_where_much_waits() -> None:
    def processes(size: int, pays: int) -> int:
        tasks = [Task(str(number), size, Options()) for number in range(6)]
        return len({result.problem for _, result in migrate_all(tasks, 3, say_who, pays=pays)})

    assert processes(10, pays=100) == 1
    assert processes(100, pays=100) == 3
    assert processes(0, pays=0) == 3


def say_who(_: Task) -> Result:
    time.sleep(0.05)
    return Result(b"", b"", Status.UNCHANGED, problem=str(os.getpid()))


def test_one_worker_gives_the_full_looks_unless_many_wait() -> None:
    def processes(pays: int) -> tuple[int, int]:
        tasks = [Task(str(number), 100, Options()) for number in range(12)]
        looks = [result.problem.split() for _, result in migrate_all(tasks, 3, say_how, pays=pays)]
        assert len(looks) == len(tasks)
        full = [who for who, how in looks if how == "full"]
        assert len(full) == 3
        return len({who for who, _ in looks}), len(set(full))

    assert processes(pays=2000) == (1, 1)
    everybody, full = processes(pays=700)
    assert everybody > 1
    assert full == 1
    assert processes(pays=0)[1] > 1


def say_how(task: Task) -> Result | None:
    time.sleep(0.1)
    if int(task.name) % 4 == 0 and not task.fully:
        return None
    how = "full" if task.fully else "first"
    return Result(b"", b"", Status.UNCHANGED, problem=f"{os.getpid()} {how}")


def test_another_worker_gives_the_full_looks_if_one_dies_over_them() -> None:
    tasks = [Task(name, 100, Options()) for name in "abc"]
    problems = {task.name: result.problem for task, result in migrate_all(tasks, 2, die_fully)}
    assert "died (exit code 3)" in problems["b"]
    assert problems["a"] == problems["c"] == ""


def die_fully(task: Task) -> Result | None:
    if not task.fully:
        return None
    return work(task._replace(name="exit") if task.name == "b" else task)


def test_workers_are_stopped_if_looking_for_tasks_fails() -> None:
    def tasks() -> Iterator[Task | Batch]:
        yield Task("a", 100, Options())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(migrate_all(tasks(), 1, work))
    assert not multiprocessing.active_children()


class Panic(BaseException):
    """What libcst's native parser raises for mistakes of its own is no `Exception` either."""


@pytest.mark.parametrize("error", [Panic("at the disco"), MemoryError(), SystemExit(3)])
def test_a_panic_is_a_report_and_no_traceback(
    monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    from lossscale_codemods.rewriting import engine

    def failing(*_: object) -> None:
        raise error

    monkeypatch.setattr(engine, "migrate_fully", failing)
    result = file_task.migrate_file(Path("a.py"), b"x", Options())
    assert result.status is Status.REFUSED
    assert type(error).__name__ in result.problem


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    code = (
        "import os, sys, time; from pathlib import Path\n"
        "from lossscale_codemods.runner.worker_pool import Task, migrate_all\n"
        "def work(task):\n"
        "    Path(sys.argv[1], str(os.getpid())).touch(); time.sleep(0.2)\n"
        "    from lossscale_codemods.vocabulary.records import Result, Status\n"
        "    return Result(b'', b'', Status.UNCHANGED)\n"
        "tasks = [Task('a', 0, None)] * 1000\n"
        "for _ in migrate_all(tasks, 3, work): print('go', flush=True)\n"
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
    assert len(list(tmp_path.iterdir())) == 3


def _runs(process: str) -> bool:
    try:
        state = Path("/proc", process, "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
