# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C at a real terminal, whose driver sends SIGINT to the whole process group."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from lossscale_codemods.running.writing import LEFT_OVER

from tests.support import REPOSITORY

OLD = b"import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
NEW = OLD.replace(b"experimental.set_policy", b"set_global_policy")
FILES = 150
CTRL_C = b"\x03"
SECONDS = 100
"""After which a command counts as hanging."""


class Terminal:
    """A command that runs in the foreground of a terminal.

    Args:
        arguments: Of `compat-lossscale`.
        folder: Where it runs.
    """

    def __init__(self, *arguments: str, folder: Path) -> None:
        self.said = ""
        self.child, self._screen = pty.fork()
        if self.child == 0:
            os.chdir(folder)
            # It is ignored, and stays so, where a shell started the tests in the background.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            paths = [str(REPOSITORY), str(REPOSITORY / "codemods")]
            os.environ["PYTHONPATH"] = os.pathsep.join(paths)
            command = [sys.executable, "-m", "compat_lossscale", *arguments]
            os.execv(sys.executable, command)

    def press(self, key: bytes) -> None:
        """Presses a key."""
        os.write(self._screen, key)

    def has_workers(self) -> bool:
        """Whether it has started a process."""
        children = Path(f"/proc/{self.child}/task/{self.child}/children")
        return bool(children.read_text())

    def watch(self, until: Callable[[], bool]) -> None:
        """Reads what is said until something is so, or everybody has left the terminal."""
        deadline = time.monotonic() + SECONDS
        while not until():
            assert time.monotonic() < deadline, f"it hangs: {self.said}"
            if not select.select([self._screen], [], [], 0.01)[0]:
                continue
            try:
                self.said += os.read(self._screen, 10_000).decode()
            except OSError:  # EIO: no process has it open any more.
                return

    def ended(self) -> int:
        """Waits until everybody has left. Returns the exit code."""
        self.watch(lambda: False)
        code = os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.child, 0)
            raise AssertionError("a process was left behind")
        os.close(self._screen)
        assert "Traceback" not in self.said
        return code


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    for number in range(FILES):
        (tmp_path / "src" / f"{number}.py").write_bytes(OLD)
    return tmp_path


def contents(folder: Path) -> list[bytes]:
    """What is in the files, beside which nothing is left behind."""
    assert not list(folder.rglob(f"{LEFT_OVER}*"))
    return [path.read_bytes() for path in sorted((folder / "src").glob("[0-9]*.py"))]


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("times", [1, 5])
def test_ctrl_c_while_files_are_parsed_writes_nothing(folder: Path, jobs: int, times: int) -> None:
    # Parsing this takes longer than anybody waits.
    (folder / "src" / "long.py").write_bytes(OLD + b"value = call(1, 2)\n" * 200_000)
    terminal = Terminal("migrate", "--write", f"--jobs={jobs}", "src", folder=folder)
    terminal.watch(terminal.has_workers)
    for _ in range(times):
        terminal.press(CTRL_C)
    assert terminal.ended() == 130
    assert "Nothing was written." in terminal.said
    assert set(contents(folder)) == {OLD}


def test_ctrl_c_while_files_are_written_leaves_each_whole_and_the_patch_true(folder: Path) -> None:
    terminal = Terminal("migrate", "--write", "--undo=undo.patch", "src", folder=folder)
    terminal.watch((folder / "undo.patch").exists)
    terminal.press(CTRL_C)
    assert terminal.ended() == 130
    found = contents(folder)
    assert len(found) == FILES
    assert set(found) <= {OLD, NEW}
    wrote = re.search(r"Interrupted.* Wrote (\d+) file", terminal.said)
    assert wrote is not None, terminal.said
    assert int(wrote[1]) == found.count(NEW)
    patch = folder / "undo.patch"
    assert (patch.read_bytes().count(b"\n+++ ") if patch.exists() else 0) == found.count(NEW)
