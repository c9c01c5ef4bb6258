# SPDX-License-Identifier: Apache-2.0
"""Finding artefacts in folders, and recognizing what they are."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from compat_lossscale.formats import read, reading
from compat_lossscale.formats.reading import find
from tests.formats.samples import ARTEFACTS, CONFIG, reason, reason_here


def test_links_that_leave_a_folder_are_not_walked(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (inside / "a.json").write_text(json.dumps(CONFIG))
    (outside / "b.json").write_text(json.dumps(CONFIG))
    (inside / "file.json").symlink_to(outside / "b.json")
    (inside / "folder").symlink_to(outside)
    (inside / "loop.json").symlink_to(inside / "loop.json")
    (inside / "same.json").symlink_to(inside / "a.json")
    assert [Path(path).name for path in find(str(inside))] == ["a.json", "same.json"]


def test_a_folder_that_may_not_be_looked_into_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    scandir = os.scandir

    def refuse(path: Any) -> Any:
        if os.fspath(path) == str(closed):
            raise PermissionError(13, "Permission denied", str(closed))
        return scandir(path)

    # The tests may run as a user who may look into everything.
    monkeypatch.setattr(os, "scandir", refuse)
    assert list(find(str(tmp_path))) == [str(closed)]
    assert "Permission denied" in reason_here(closed)


def test_folders_of_any_depth_are_walked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    depth = 1500
    monkeypatch.chdir(tmp_path)
    for _ in range(depth):
        Path("d").mkdir()
        os.chdir("d")
    Path("a.json").write_text("{}")
    assert [Path(path).name for path in find(str(tmp_path))] == ["a.json"]
    # pytest cannot remove what is so deep.
    Path("a.json").unlink()
    for _ in range(depth):
        os.chdir("..")
        Path("d").rmdir()


def test_a_link_that_is_named_is_followed(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(CONFIG))
    (tmp_path / "b.json").symlink_to(tmp_path / "a.json")
    assert read(tmp_path / "b.json").has_loss_scale


def test_a_large_file_of_another_kind_is_refused_without_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(2**36)
    started = time.process_time()
    assert "not one of the artefacts" in reason(path)
    for name in ("large.json", "large.index", "large.h5", "large.keras"):
        path = path.rename(tmp_path / name)
        assert reason(path)
    assert time.process_time() - started < 10


@pytest.mark.parametrize("name", ["model.h5", "model.keras", "checkpoint-1.index", "configs.json"])
def test_a_cut_off_file_is_refused_wherever_it_is_cut(name: str, tmp_path: Path) -> None:
    source = ARTEFACTS / "2.21" / name
    shutil.copy(ARTEFACTS / "2.21" / "checkpoint-1.data-00000-of-00001", tmp_path)
    data = source.read_bytes()
    for size in range(0, len(data) - 1, len(data) // 40):
        path = tmp_path / name
        path.write_bytes(data[:size])
        assert reason(path)


@pytest.mark.parametrize("name", ["nowhere.h5", "a\0b", "nowhere/saved_model"])
def test_what_is_not_there_is_unreadable(name: str, tmp_path: Path) -> None:
    says = "null byte" if "\0" in name else "it cannot be read: No such file"
    assert says in reason(f"{tmp_path}/{name}")


def test_a_folder_without_artefacts_says_what_is_missing(tmp_path: Path) -> None:
    assert "without saved_model.pb" in reason(tmp_path)


def test_files_of_every_format_are_found_in_folders(tmp_path: Path) -> None:
    suffixes = [suffix for reader in reading.READERS for suffix in reader.SUFFIXES]
    assert len(suffixes) > 3
    paths = [tmp_path / f"file{suffix}" for suffix in suffixes]
    for path in (*paths, tmp_path / "file.txt"):
        path.write_bytes(b"")
    assert sorted(find(str(tmp_path))) == sorted(map(str, paths))
