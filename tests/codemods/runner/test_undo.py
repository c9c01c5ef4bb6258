# SPDX-License-Identifier: Apache-2.0
"""The patch that takes a run back, with the real `git apply` and `patch`."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from lossscale_codemods.runner import migrate_files, undo
from lossscale_codemods.vocabulary.options import Options

if TYPE_CHECKING:
    from pathlib import Path

OLD = b"import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
SOURCES = {
    "plain": OLD,
    "CRLF": OLD.replace(b"\n", b"\r\n"),
    "mixed newlines": b"x = 1\r\n" + OLD + b"y = 2\r\nz = 3\n",
    "no newline at the end": OLD.rstrip(b"\n"),
    "CRLF, no newline at the end": OLD.replace(b"\n", b"\r\n").rstrip(b"\r\n"),
    "byte order mark": b"\xef\xbb\xbf" + OLD,
    "latin-1": b"# -*- coding: latin-1 -*-\n# caf\xe9\n" + OLD + b"x = '\xff'\n",
    "shift-jis": "# coding: shift_jis\nx = '表示ソ'\n".encode("shift_jis") + OLD,
    "carriage return in a string": b"x = 'a\\\rb'\n" + OLD,
    "form feed in a comment": b"#\x0c\n" + OLD,
    "lines like a patch": OLD
    + b"x = '''\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-- \n\\ No newline\n'''\n",
    "two far apart": OLD + b"y = 1\n" * 200 + OLD,
}
NAMES = [
    "a.py",
    "a b/c d.py",
    " a.py",
    "é/ü 表.py",
    'quo"te.py',
    "back\\slash.py",
    "tab\tname.py",
    "new\nline.py",
    "a 2020-01-01 00:00:00.000 +0000.py",
    os.fsdecode(b"latin-\xe9.py"),
    "--- a.py",
    "b/b/a/a.py",
    "notebook.ipynb",
]
TOOLS = {
    "git apply": ["git", "apply", "-R"],
    # What the patch says; it also works where git is told to change newlines.
    "git apply as told": ["git", "-c", "core.autocrlf=false", "apply", "-R"],
    "patch": ["patch", "-R", "-p1", "-s", "-i"],
}


def notebook(source: bytes) -> bytes:
    cells = [{"cell_type": "code", "source": source.decode().splitlines(keepends=True)}]
    return json.dumps({"cells": cells, "nbformat": 4}, indent=1).encode()


def take_back(tool: str, patch: Path, folder: Path) -> None:
    subprocess.run([*TOOLS[tool], patch], cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("in_git", [False, True])
def test_taken_back_to_the_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: str, in_git: bool
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    if in_git:
        # In a folder of a repository, neither its top nor known to it.
        subprocess.run(["git", "init", "-q", tmp_path], check=True)
        if tool == "git apply as told":
            subprocess.run(["git", "config", "core.autocrlf", "true"], cwd=tmp_path, check=True)
    before: dict[Path, bytes] = {}
    for number, source in enumerate(SOURCES.values()):
        before[folder / f"source {number}.py"] = source
    for name in NAMES:
        before[folder / name] = notebook(OLD) if name.endswith(".ipynb") else OLD
    for path, source in before.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(source)
    patch = tmp_path / "undo.patch"
    report = migrate_files.run([folder], Options(), write=True, undo=patch)
    assert [file.path for file in report.files if not file.written] == []
    assert all(path.read_bytes() != source for path, source in before.items())
    take_back(tool, patch, folder)
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize("tool", TOOLS)
def test_files_outside_of_the_folder_and_behind_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "there/sub").mkdir(parents=True)
    (tmp_path / "there/sub/real.txt").write_bytes(OLD)
    (tmp_path / "there/link.py").symlink_to("sub/real.txt")
    (tmp_path / "there/b.py").write_bytes(OLD)
    (tmp_path / "door").symlink_to("there")
    monkeypatch.chdir(tmp_path / "here")
    migrate_files.run([tmp_path / "door"], Options(), write=True, undo=tmp_path / "here/undo.patch")
    assert (tmp_path / "there/b.py").read_bytes() != OLD
    patch = tmp_path / "here/undo.patch"
    assert f"In the folder\n    {tmp_path / 'there'}\n" in patch.read_text()
    take_back(tool, patch, tmp_path / "there")
    assert (tmp_path / "there/b.py").read_bytes() == OLD
    assert (tmp_path / "there/sub/real.txt").read_bytes() == OLD


def test_it_is_there_before_the_first_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_bytes(OLD)
    seen = []

    def look(*_: object) -> None:
        seen.append((tmp_path / "undo.patch").read_bytes())
        raise migrate_files.WriteRefusedError("not today")

    monkeypatch.setattr(migrate_files, "write_atomically", look)
    migrate_files.run([tmp_path], Options(), write=True, undo=tmp_path / "undo.patch")
    assert len(seen) == 2
    assert all(b"a.py" in patch and b"b.py" in patch for patch in seen)
    assert not (tmp_path / "undo.patch").exists()


def test_what_was_not_written_is_not_in_it(tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_bytes(OLD)
    (tmp_path / "b.py").chmod(0o444)
    migrate_files.run([tmp_path], Options(), write=True, undo=tmp_path / "undo.patch")
    assert b"b.py" not in (tmp_path / "undo.patch").read_bytes()
    subprocess.run(TOOLS["patch"] + ["undo.patch"], cwd=_base(tmp_path), check=True)
    assert (tmp_path / "a.py").read_bytes() == OLD


def _base(folder: Path) -> Path:
    text = (folder / "undo.patch").read_text()
    assert str(folder) in text
    return folder


def test_an_earlier_undo_is_never_lost(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(OLD)
    (tmp_path / "undo.patch").write_text("precious")
    report = migrate_files.run([tmp_path], Options(), write=True, undo=tmp_path / "undo.patch")
    assert "there already" in report.files[0].result.problem
    assert (tmp_path / "undo.patch").read_text() == "precious"
    assert (tmp_path / "a.py").read_bytes() == OLD


@pytest.mark.parametrize("error", [28, 30])
def test_without_an_undo_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    (tmp_path / "a.py").write_bytes(OLD)

    def failing(_: int) -> None:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(undo.os, "fsync", failing)
    report = migrate_files.run([tmp_path], Options(), write=True, undo=tmp_path / "undo.patch")
    assert os.strerror(error) in report.files[0].result.problem
    assert "nothing was written" in report.files[0].result.problem
    assert [p.name for p in tmp_path.iterdir()] == ["a.py"]
    assert (tmp_path / "a.py").read_bytes() == OLD


def test_nothing_to_write_needs_no_undo(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    migrate_files.run([tmp_path], Options(), write=True, undo=tmp_path / "undo.patch")
    assert not (tmp_path / "undo.patch").exists()
