# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from lossscale_codemods.project import byte_scan
from lossscale_codemods.project.byte_scan import survey

if TYPE_CHECKING:
    from pathlib import Path

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
ENOUGH = 60.0


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "old.py").write_text(OLD)
    (tmp_path / "new.py").write_text("print()\n")
    (tmp_path / "other.py").write_text("loss = scale(loss)\n")
    (tmp_path / "notes.txt").write_text(OLD)
    return tmp_path


def test_files_with_old_names_are_found(folder: Path) -> None:
    found = survey([folder], seconds=ENOUGH)
    assert found.files == (str(folder / "old.py"),)
    assert (found.looked_at, found.left_out, found.complete) == (3, 0, True)


def test_ignored_and_excluded_folders_are_left_alone(folder: Path) -> None:
    for name in ("venv", "mine", "theirs"):
        (folder / name).mkdir()
        (folder / name / "old.py").write_text(OLD)
    (folder / ".gitignore").write_text("theirs/\n")
    assert len(survey([folder], seconds=ENOUGH, exclude=["mine"]).files) == 1


def test_files_that_are_too_large_or_cannot_be_read_are_counted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(byte_scan, "_LARGEST", len(OLD))
    (folder / "large.py").write_text(OLD + "#")
    (folder / "link.py").symlink_to("nowhere")
    found = survey([folder, folder / "gone.py"], seconds=ENOUGH)
    assert (found.looked_at, found.left_out, found.complete) == (3, 2, True)


def test_when_the_time_is_over_what_was_found_by_then_is_returned(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = itertools.count()
    monkeypatch.setattr(byte_scan.time, "monotonic", lambda: next(clock))
    found = survey([folder / "old.py", folder / "new.py"], seconds=2)
    assert found.files == (str(folder / "old.py"),)
    assert (found.looked_at, found.complete) == (1, False)
