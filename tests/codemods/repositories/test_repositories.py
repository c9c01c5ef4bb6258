# SPDX-License-Identifier: Apache-2.0
"""The measurement itself, on a small repository that is made here, and the page."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.codemods.repositories.checkouts import extract, git_folder, listed
from tests.codemods.repositories.measure import GROUPS, LOSS_SCALE, Count, group_of, measure
from tests.codemods.repositories.page import FIGURES, PAGE, text
from tests.codemods.runs import OLD, UNSAFE

GUARDED = (
    "import tensorflow as tf\n\n"
    'if tuple(map(int, tf.__version__.split(".")[:2])) < (2, 4):\n'
    '    tf.keras.mixed_precision.experimental.set_policy("mixed_float16")\n'
    "else:\n"
    '    tf.keras.mixed_precision.set_global_policy("mixed_float16")\n'
)


@pytest.fixture(name="repository")
def make_repository(tmp_path: Path) -> tuple[Path, str]:
    folder = tmp_path / "clones" / "owner+name"
    folder.mkdir(parents=True)
    for name, source in (("old.py", OLD), ("guarded.py", GUARDED), ("likely.py", UNSAFE)):
        (folder / name).write_text(source)
    (folder / "data.bin").write_bytes(b"not looked at")
    _git(folder, "init", "--quiet")
    _git(folder, "add", ".")
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    _git(folder, *who, "commit", "--quiet", "--message=first")
    return folder.parent, _git(folder, "rev-parse", "HEAD")


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_a_repository_is_measured(repository: tuple[Path, str]) -> None:
    folder, commit = repository
    git = git_folder(folder, "owner/name")
    assert git is not None
    found = measure(git, commit)
    assert (found.files, found.lacking, found.commit) == (3, 0, commit)
    proven, unsafe = found.proven.groups[LOSS_SCALE], found.unsafe.groups[LOSS_SCALE]
    assert proven == Count(1, 1, {"LS301": 1}, 1)
    assert unsafe == Count(2, 1, {})
    assert found.proven.problems == found.unsafe.problems == []
    assert _git(folder / "owner+name", "status", "--porcelain") == ""


def test_only_what_a_migration_reads_is_written(
    repository: tuple[Path, str], tmp_path: Path
) -> None:
    folder, commit = repository
    git = git_folder(folder, "owner/name")
    assert git is not None
    assert extract(git, commit, tmp_path / "out") == 0
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"old.py", "guarded.py", "likely.py", ".git"}


def test_clones_are_found_under_both_names(tmp_path: Path) -> None:
    assert git_folder(tmp_path, "a/b") is None
    for name in ("a/b", "c+d"):
        _git(tmp_path, "init", "--quiet", "--bare", name)
    assert git_folder(tmp_path, "a/b") == tmp_path / "a" / "b"
    assert git_folder(tmp_path, "c/d") == tmp_path / "c+d"


def test_the_page_shows_the_figures_of_what_is_listed() -> None:
    figures = json.loads(FIGURES.read_text())
    assert PAGE.read_text() == text(figures)
    assert {name: one["commit"] for name, one in figures.items()}.items() <= listed().items()


def test_the_list_names_commits() -> None:
    for name, commit in listed().items():
        assert re.fullmatch(r"[\w.-]+/[\w.-]+", name)
        assert re.fullmatch(r"[0-9a-f]{40}", commit)


def test_more_is_rewritten_with_unsafe_fixes() -> None:
    for one in json.loads(FIGURES.read_text()).values():
        for group in GROUPS:
            proven, unsafe = (one[run]["groups"][group] for run in ("proven", "unsafe"))
            assert unsafe["rewritten"] >= proven["rewritten"]
            assert unsafe["kept"] == proven["kept"]


@pytest.mark.parametrize(
    ("rule", "group"),
    [("LS201", 0), ("LS801", 0), ("LS212", 1), ("LS512", 1), ("LS902", 2), ("LS206", 3)],
)
def test_the_groups(rule: str, group: int) -> None:
    assert group_of(rule) == GROUPS[group]
