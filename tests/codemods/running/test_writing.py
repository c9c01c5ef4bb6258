# SPDX-License-Identifier: Apache-2.0
"""Replacing a file: what is kept, what is refused, and that it is whole whatever fails."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import resource
import signal
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lossscale_codemods.running import writing
from lossscale_codemods.running.writing import LEFT_OVER, WriteRefusedError, write_atomically

from tests.support import NOBODY, folder_of_nobody

if TYPE_CHECKING:
    from collections.abc import Iterator

OLD, NEW = b"old\n" * 1000, b"new\n" * 1000


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.py"
    path.write_bytes(OLD)
    return path


def write(path: Path) -> None:
    write_atomically(path, OLD, NEW, Path(os.path.realpath(path.parent)))


def check_refused(path: Path, reason: str, *, holds: bytes | None = OLD) -> None:
    with pytest.raises(WriteRefusedError, match=reason):
        write(path)
    if holds is not None:
        assert path.read_bytes() == holds
    assert [p.name for p in path.parent.iterdir() if p.name.startswith(LEFT_OVER)] == []


def test_the_mode_stays_and_nothing_is_left_behind(file: Path) -> None:
    file.chmod(0o2751)
    write(file)
    assert file.read_bytes() == NEW
    assert stat.S_IMODE(file.stat().st_mode) == 0o2751
    assert [p.name for p in file.parent.iterdir()] == ["a.py"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_the_owner_stays(file: Path) -> None:
    os.chown(file, NOBODY, NOBODY)
    write(file)
    assert (file.stat().st_uid, file.stat().st_gid) == (NOBODY, NOBODY)


def test_extended_attributes_stay(file: Path) -> None:
    try:
        os.setxattr(file, "user.origin", b"lab")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    write(file)
    assert os.getxattr(file, "user.origin") == b"lab"


def test_other_names_of_a_hard_link_keep_the_old_file(file: Path) -> None:
    other = file.with_name("b.txt")
    os.link(file, other)
    write(file)
    assert (file.read_bytes(), other.read_bytes()) == (NEW, OLD)


def test_the_longest_name_that_a_folder_takes(tmp_path: Path) -> None:
    path = tmp_path / ("é" * 126 + ".py")
    path.write_bytes(OLD)
    write(path)
    assert path.read_bytes() == NEW


def test_links_are_followed_inside_and_refused_outside(tmp_path: Path) -> None:
    (tmp_path / "in/sub").mkdir(parents=True)
    for name in ("in/sub/real.txt", "outside.txt"):
        (tmp_path / name).write_bytes(OLD)
    (tmp_path / "in/link.py").symlink_to("sub/real.txt")
    (tmp_path / "in/far.py").symlink_to("../outside.txt")
    write(tmp_path / "in/link.py")
    assert (tmp_path / "in/link.py").is_symlink()
    assert (tmp_path / "in/sub/real.txt").read_bytes() == NEW
    check_refused(tmp_path / "in/far.py", "outside of")


def test_a_folder_that_became_a_link_to_the_outside_is_refused(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/a.py").write_bytes(OLD)
    (tmp_path / "root/sub").symlink_to("../elsewhere")
    with pytest.raises(WriteRefusedError, match="outside of"):
        write_atomically(tmp_path / "root/sub/a.py", OLD, NEW, tmp_path / "root")
    assert (tmp_path / "elsewhere/a.py").read_bytes() == OLD


def test_a_read_only_file_is_refused(file: Path) -> None:
    file.chmod(0o444)
    check_refused(file, "read-only")


def test_a_locked_file_is_refused(file: Path) -> None:
    with file.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_SH)
        check_refused(file, "holds a lock")
    write(file)


def test_a_file_that_changed_since_it_was_read_is_refused(file: Path) -> None:
    file.write_bytes(b"other")
    check_refused(file, "changed while", holds=b"other")


def test_a_file_that_was_removed_is_not_made_again(file: Path) -> None:
    file.unlink()
    check_refused(file, "removed while", holds=None)
    assert not file.exists()


def test_a_pipe_in_the_place_of_the_file_is_refused(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)
    check_refused(file, "no regular file", holds=None)


MEANWHILE = {
    "written in place": lambda path: path.write_bytes(b"other"),
    "appended to": lambda path: path.write_bytes(OLD + b"more"),
    "replaced": lambda path: _replaced(path, b"other"),
    "replaced by the same": lambda path: _replaced(path, OLD),
    "removed": lambda path: path.unlink(),
    "made a link": lambda path: (path.rename(path.with_name("b.py")), path.symlink_to("b.py")),
}


def _replaced(path: Path, content: bytes) -> None:
    path.with_name("other").write_bytes(content)
    path.with_name("other").replace(path)


@pytest.mark.parametrize("what", MEANWHILE)
def test_a_file_that_changes_until_the_last_moment_is_refused(
    file: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    real = os.fsync

    def meanwhile(descriptor: int) -> None:
        real(descriptor)
        MEANWHILE[what](file)

    monkeypatch.setattr(os, "fsync", meanwhile)
    check_refused(file, "while it was being migrated", holds=None)
    if file.exists():
        assert file.read_bytes() != NEW


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO])
@pytest.mark.parametrize("where", ["open", "fdopen", "fchmod", "fsync", "replace"])
def test_whatever_fails_the_old_file_stays(
    file: Path, monkeypatch: pytest.MonkeyPatch, where: str, error: int
) -> None:
    real = os.open

    def failing(*arguments: object, **_: object) -> int:
        if where == "open" and not arguments[1] & os.O_CREAT:  # type: ignore[operator]  # os.open's flags
            return real(*arguments)  # type: ignore[arg-type]  # passed on as it is
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(Path if where == "replace" else os, where, failing)
    with pytest.raises(WriteRefusedError, match=os.strerror(error)):
        write(file)
    monkeypatch.undo()
    assert file.read_bytes() == OLD
    assert [p.name for p in file.parent.iterdir()] == ["a.py"]


@contextlib.contextmanager
def smaller_files_only(size: int) -> Iterator[None]:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.parametrize("size", [0, 1, len(NEW) - 1])
def test_a_file_that_the_system_cuts_off_is_never_put_in_place(file: Path, size: int) -> None:
    with smaller_files_only(size), pytest.raises(WriteRefusedError, match="File too large"):
        write(file)
    assert file.read_bytes() == OLD
    assert [p.name for p in file.parent.iterdir()] == ["a.py"]


def test_a_folder_that_takes_no_files_is_refused() -> None:
    with folder_of_nobody() as folder:
        (folder / "a.py").write_bytes(OLD)
        folder.chmod(0o555)
        check_refused(folder / "a.py", "Make the folder writable")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes files of somebody else")
def test_a_file_that_this_user_may_not_write_is_refused() -> None:
    with folder_of_nobody() as folder:
        path = folder / "a.py"
        os.setresuid(0, 0, 0)
        path.write_bytes(OLD)
        os.setresuid(NOBODY, NOBODY, 0)
        check_refused(path, "read-only")


def test_ctrl_c_in_the_middle_leaves_the_old_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(writing.os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(file)
    assert file.read_bytes() == OLD
    assert [p.name for p in file.parent.iterdir()] == ["a.py"]
