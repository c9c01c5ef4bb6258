# SPDX-License-Identifier: Apache-2.0
"""The patch that takes a run back, with the real `git apply` and `patch`."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from lossscale_codemods.running import migrate_files, writing
from lossscale_codemods.tables.options import Options

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
    "blanks at the end of lines": OLD.replace(b"\n", b" \t\n") + b"    \n\n",
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
    "git apply as told": [
        *("git", "-c", "core.autocrlf=false", "apply", "-R", "--whitespace=nowarn")
    ],
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
            for setting in (("core.autocrlf", "true"), ("apply.whitespace", "fix")):
                subprocess.run(["git", "config", *setting], cwd=tmp_path, check=True)
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

    monkeypatch.setattr(writing.os, "fsync", failing)
    report = migrate_files.run([tmp_path], Options(), write=True, undo=tmp_path / "undo.patch")
    assert os.strerror(error) in report.files[0].result.problem
    assert "nothing was written" in report.files[0].result.problem
    assert [p.name for p in tmp_path.iterdir()] == ["a.py"]
    assert (tmp_path / "a.py").read_bytes() == OLD


def test_nothing_to_write_needs_no_undo(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    migrate_files.run([tmp_path], Options(), write=True, undo=tmp_path / "undo.patch")
    assert not (tmp_path / "undo.patch").exists()


def _migrated(folder: Path, patch: str = "undo.patch") -> None:
    report = migrate_files.run([folder / "src"], Options(), write=True, undo=folder / patch)
    assert all(file.written for file in report.files if file.result.changed)


def _tried(tool: str, folder: Path, patch: str = "undo.patch") -> bool:
    """Whether a tool takes a patch back as a whole; `patch` asks nothing and leaves no files."""
    quiet = ["-N", "-r", "-", "--no-backup-if-mismatch"] if tool == "patch" else []
    command = [TOOLS[tool][0], *quiet, *TOOLS[tool][1:], folder / patch]
    done = subprocess.run(command, cwd=folder / "src", check=False, capture_output=True)
    return done.returncode == 0


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "src").mkdir()
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / "src" / name).write_bytes(OLD)
    monkeypatch.chdir(tmp_path / "src")
    return tmp_path


@pytest.mark.parametrize("tool", ["git apply", "patch"])
def test_a_second_time_changes_nothing(folder: Path, tool: str) -> None:
    _migrated(folder)
    assert _tried(tool, folder)
    assert not _tried(tool, folder)
    assert {path.read_bytes() for path in (folder / "src").iterdir()} == {OLD}


@pytest.mark.parametrize("how", ["edited", "removed", "renamed"])
def test_git_takes_back_all_or_nothing(folder: Path, how: str) -> None:
    _migrated(folder)
    changed = folder / "src/b.py"
    if how == "edited":
        changed.write_bytes(changed.read_bytes().replace(b"float32", b"float16"))
    elif how == "removed":
        changed.unlink()
    else:
        changed.rename(folder / "src/z.py")
    before = {path: path.read_bytes() for path in (folder / "src").iterdir()}
    assert not _tried("git apply", folder)
    assert {path: path.read_bytes() for path in (folder / "src").iterdir()} == before


def test_patch_takes_back_the_files_that_it_can(folder: Path) -> None:
    _migrated(folder)
    edited = folder / "src/b.py"
    edited.write_bytes(edited.read_bytes().replace(b"float32", b"float16"))
    before = edited.read_bytes()
    assert not _tried("patch", folder)
    assert edited.read_bytes() == before
    assert (folder / "src/a.py").read_bytes() == (folder / "src/c.py").read_bytes() == OLD
    assert len(list((folder / "src").iterdir())) == 3


@pytest.mark.parametrize("tool", ["git apply", "patch"])
def test_two_runs_are_taken_back_the_last_one_first(folder: Path, tool: str) -> None:
    _migrated(folder)
    again = folder / "src/a.py"
    between = OLD + b"# new\n" * 5 + again.read_bytes()
    again.write_bytes(between)
    _migrated(folder, "second.patch")
    assert _tried(tool, folder, "second.patch")
    assert again.read_bytes() == between
    assert (folder / "src/b.py").read_bytes() != OLD
    again.write_bytes(again.read_bytes()[len(OLD + b"# new\n" * 5) :])
    assert _tried(tool, folder)
    assert {path.read_bytes() for path in (folder / "src").iterdir()} == {OLD}


def test_patch_keeps_modes_and_git_who_may_run_a_file(folder: Path) -> None:
    modes = {"a.py": 0o600, "b.py": 0o755, "c.py": 0o640}
    for tool in ("patch", "git apply"):
        for name, mode in modes.items():
            (folder / "src" / name).chmod(mode)
        _migrated(folder, f"{tool}.patch")
        found = {name: (folder / "src" / name).stat().st_mode & 0o777 for name in modes}
        assert found == modes
        assert _tried(tool, folder, f"{tool}.patch")
        found = {name: (folder / "src" / name).stat().st_mode & 0o777 for name in modes}
        if tool == "patch":
            assert found == modes
        assert [bool(mode & 0o100) for mode in found.values()] == [False, True, False]


def test_the_command_in_the_patch_can_be_run_as_it_is(folder: Path) -> None:
    _migrated(folder, "it's an writing.patch")
    lines = (folder / "it's an writing.patch").read_text().splitlines()
    for line in lines[3:5]:
        subprocess.run(["sh", "-c", line.strip()], cwd=folder / "src", check=True)
        assert (folder / "src/a.py").read_bytes() == OLD
        (folder / "it's an writing.patch").unlink()
        _migrated(folder, "it's an writing.patch")


def test_a_patch_that_cannot_be_shortened_stays_as_it_was(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "src/b.py").chmod(0o444)
    fsync = os.fsync
    calls = []

    def failing(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == 4:  # The patch, two files, and then the shorter patch.
            raise OSError(28, os.strerror(28))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", failing)
    report = migrate_files.run(
        [folder / "src"], Options(), write=True, undo=folder / "undo.patch", jobs=1
    )
    assert "cannot be shortened" in report.problems[0]
    assert b"b.py" in (folder / "undo.patch").read_bytes()
    assert [path.name for path in folder.iterdir() if path.name != "src"] == ["undo.patch"]
