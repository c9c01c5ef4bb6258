# SPDX-License-Identifier: Apache-2.0
"""What one walk over a tree finds out, and who may use names of its files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lossscale_codemods import search as search_module
from lossscale_codemods.options import Options
from lossscale_codemods.search import Search

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


def test_each_file_is_a_step_and_those_with_old_words_are_tasks(search: Search) -> None:
    tasks = list(search.tasks(Options()))
    assert [task is None for task in tasks] == [False, True, True, True, True]
    assert tasks[0] is not None
    assert tasks[0].size == len(FILES["a_old.py"])
    assert list(search.to_parse) == [tasks[0].name]
    assert search.looked_at == len(FILES)
    assert not search.skipped


def names_of(search: Search, names: set[str]) -> set[str]:
    return {name.rpartition("/")[2] for name in search.users(names)}


def test_who_uses_a_name_with_a_marker_has_it_too_or_a_star(search: Search) -> None:
    list(search.tasks(Options()))
    some = names_of(search, {"loss_scale_module"})
    assert some == {"a_old.py", "c_star.py", "d_marker.py"}


def test_anybody_may_use_another_name(search: Search) -> None:
    list(search.tasks(Options()))
    assert names_of(search, {"mp", "loss_scale_module"}) == set(FILES)


def test_of_a_project_named_in_part_anybody_is_asked(tmp_path: Path, search: Search) -> None:
    (tmp_path / "setup.py").touch()
    part = Search([tmp_path / "a_old.py"], no_ignore=False, exclude=[])
    list(part.tasks(Options()))
    assert names_of(part, {"loss_scale_module"}) == {*FILES, "setup.py"}


def test_a_file_that_cannot_be_read_is_remembered_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, search: Search
) -> None:
    def read(name: str) -> bytes:
        raise PermissionError(13, "Permission denied", name)

    monkeypatch.setattr(search_module, "read", read)
    assert list(search.tasks(Options())) == []
    assert {found.path.name for found, _ in search.unreadable} == set(FILES)
    assert {result.problem for _, result in search.unreadable} == {
        "It cannot be read: Permission denied."
    }
