# SPDX-License-Identifier: Apache-2.0
"""What one walk over a tree finds out, and who may use names of its files."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from lossscale_codemods.runner import batches
from lossscale_codemods.runner import search as search_module
from lossscale_codemods.runner.batches import Batch
from lossscale_codemods.runner.search import Search
from lossscale_codemods.runner.worker_pool import Task
from lossscale_codemods.vocabulary.options import Options

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "a_old.py": "import tensorflow as tf\ntf.keras.mixed_precision.experimental\n",
    "b_plain.py": "import os\n",
    "c_star.py": "from a_old import \\\n  *\n",
    "d_marker.py": "from a_old import loss_scale_module\n",
    "e_alias.py": "from a_old import mp\n",
}


@pytest.fixture
def search(tmp_path: Path) -> Search:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return Search([tmp_path], no_ignore=False, exclude=[])


def searched(search: Search) -> list[Task]:
    """Searches each batch at once; returns the tasks that come of it."""
    tasks = []
    for step in search.steps(Options()):
        if isinstance(step, Batch):
            search.note(step, batches.search(step))
        elif step is not None:
            tasks.append(step)
    return tasks


def test_files_with_old_words_are_tasks(search: Search) -> None:
    [task] = searched(search)
    assert task.size == len(FILES["a_old.py"])
    assert list(search.to_parse) == [task.name]
    assert search.looked_at == len(FILES)
    assert not search.skipped


def test_batches_may_come_back_in_any_order(
    monkeypatch: pytest.MonkeyPatch, search: Search
) -> None:
    searched(search)
    monkeypatch.setattr(search_module, "_FILES", 2)
    other = Search(search._paths, no_ignore=False, exclude=[])
    steps = other.steps(Options())
    under_way = list(itertools.islice(steps, 3))
    assert [step.number for step in under_way if isinstance(step, Batch)] == [0, 1, 2]
    assert next(steps) is None
    for step in reversed(under_way):
        assert isinstance(step, Batch)
        other.note(step, batches.search(step))
    assert len(list(steps)) == 1
    assert other.looked_at == len(FILES)
    names = {"loss_scale_module"}
    assert list(other.users(names)) == list(search.users(names))


def test_what_is_noted_between_two_tasks_is_a_task_as_well(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for number in range(4):
        (tmp_path / f"{number}.py").write_text("LossScale")
    monkeypatch.setattr(search_module, "_FILES", 2)
    search = Search([tmp_path], no_ignore=False, exclude=[])
    steps = search.steps(Options())
    first, second, nothing = itertools.islice(steps, 3)
    assert nothing is None
    assert isinstance(first, Batch)
    assert isinstance(second, Batch)
    search.note(first, batches.search(first))
    task = next(steps)
    search.note(second, batches.search(second))
    tasks = [task, *steps]
    assert {step.name for step in tasks if isinstance(step, Task)} == set(search.to_parse)
    assert len(tasks) == 4


def names_of(search: Search, names: set[str]) -> set[str]:
    return {name.rpartition("/")[2] for name in search.users(names)}


def test_who_uses_a_name_with_a_marker_has_it_too_or_a_star(search: Search) -> None:
    searched(search)
    some = names_of(search, {"loss_scale_module"})
    assert some == {"a_old.py", "c_star.py", "d_marker.py"}


def test_anybody_may_use_another_name(search: Search) -> None:
    searched(search)
    assert names_of(search, {"mp", "loss_scale_module"}) == set(FILES)


def test_of_a_project_named_in_part_anybody_is_asked(tmp_path: Path, search: Search) -> None:
    (tmp_path / "setup.py").touch()
    part = Search([tmp_path / "a_old.py"], no_ignore=False, exclude=[])
    searched(part)
    assert names_of(part, {"loss_scale_module"}) == {*FILES, "setup.py"}


def test_a_file_that_cannot_be_read_is_remembered_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, search: Search
) -> None:
    def read(name: str) -> bytes:
        raise PermissionError(13, "Permission denied", name)

    monkeypatch.setattr(batches, "read", read)
    assert searched(search) == []
    assert {found.path.name for found, _ in search.unreadable} == set(FILES)
    assert {result.problem for _, result in search.unreadable} == {
        "It cannot be read: Permission denied."
    }
