# SPDX-License-Identifier: Apache-2.0
"""What the commands say of what cannot be read or written: paths, folders, their own output."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.messages import says
from tests.support import REPOSITORY, python, without_override

OLD = "import tensorflow as tf\ntf.keras.mixed_precision.experimental.set_policy('float32')\n"
SAYS = [
    # `closed` has no rights at all; what is in `listed` may be listed, and not be looked at.
    (
        "migrate closed/a.py open",
        3,
        "closed/a.py: skipped: it cannot be reached: Permission denied.",
    ),
    ("migrate closed open", 3, "closed: skipped: the folder cannot be read: Permission denied."),
    ("migrate closed/folder open", 3, "closed/folder: skipped: it cannot be reached:"),
    ("migrate listed open", 3, "listed/a.py: unreadable: It cannot be read: Permission denied."),
    ("migrate listed open", 3, "listed/folder: skipped: the folder cannot be read:"),
    (
        "migrate ignoring open",
        3,
        "ignoring/.gitignore: skipped: it cannot be read, so nothing is left out for its sake:",
    ),
    ("migrate ignoring/folder open", 3, "ignoring/.gitignore: skipped: it cannot be read, so"),
    (
        "migrate open --html closed/folder/a.html",
        64,
        "The report closed/folder/a.html cannot be written: there is no folder",
    ),
    ("doctor closed", None, "1 file was not looked at: too large, or not readable;"),
    ("doctor listed/a.py", None, "1 file was not looked at: too large, or not readable;"),
    ("run closed/a.py", 2, "closed/a.py': [Errno 13] Permission denied"),
    ("run closed", 1, "can't find '__main__' module in"),
    ("verify closed/config.json open", 3, "it cannot be read: Permission denied\n"),
    ("verify closed open", 3, "closed: unreadable: saved_model.pb cannot be read:"),
    ("verify listed open", 3, "listed/config.json: unreadable: it cannot be read:"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    for name in ("closed", "listed", "open", "ignoring"):
        (tmp_path / name / "folder").mkdir(parents=True)
        (tmp_path / name / "a.py").write_text(OLD)
        shutil.copy(
            REPOSITORY / "tests/artefacts/2.3/configs.json", tmp_path / name / "config.json"
        )
    (tmp_path / "ignoring" / ".gitignore").touch(0)
    (tmp_path / "closed").chmod(0)
    (tmp_path / "listed").chmod(0o600)
    yield tmp_path
    (tmp_path / "closed").chmod(0o755)
    (tmp_path / "listed").chmod(0o755)


@pytest.mark.parametrize(("line", "code", "said"), SAYS, ids=[line for line, _, _ in SAYS])
def test_a_command_says_what_it_may_not_look_at(
    line: str, code: int | None, said: str, folder: Path
) -> None:
    done = python("-m", "compat_lossscale", *line.split(), cwd=folder, before=without_override)
    everything = done.stdout + done.stderr
    assert said in everything
    assert "Traceback" not in everything
    assert code is None or done.returncode == code
    if line.startswith(("migrate", "verify")) and "--html" not in line:
        assert "open/" in done.stdout, "the other folder was not looked at"


@pytest.mark.parametrize(
    "line", ["migrate .", "migrate a.py", "doctor", "doctor .", "migrate --write --undo u a.py"]
)
def test_a_current_folder_that_was_removed_is_said(line: str, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    done = python("-m", "compat_lossscale", *line.split(), cwd=gone, before=gone.rmdir)
    assert "The current folder was removed. Go to one that is there." in done.stderr
    assert "Traceback" not in done.stderr


def fill_the_disk() -> None:
    os.dup2(os.open("/dev/full", os.O_WRONLY), 1)


@pytest.mark.parametrize(
    "line", ["migrate .", "migrate --write .", "migrate --json .", "verify .", "doctor", "--help"]
)
def test_output_for_which_there_is_no_room_is_said_and_is_no_finding(
    line: str, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text(OLD)
    done = python("-m", "compat_lossscale", *line.split(), cwd=tmp_path, before=fill_the_disk)
    (message,) = done.stderr.splitlines()
    assert says(
        message, "compat-lossscale: the standard output cannot be written: No space left on device"
    )
    assert done.returncode == 2
    assert ("set_global_policy" in (tmp_path / "a.py").read_text()) == ("--write" in line)


def test_a_standard_input_that_is_closed_is_said() -> None:
    done = python("-m", "compat_lossscale", "migrate", "-", before=lambda: os.close(0))
    assert "Error: The standard input is closed." in done.stderr
    assert done.returncode == 64
