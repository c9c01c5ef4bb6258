# SPDX-License-Identifier: Apache-2.0
"""The command line as a whole: its commands, and how errors end it."""

from __future__ import annotations

import errno
from typing import Any

import pytest
from click.testing import CliRunner

from compat_lossscale import cli as group
from compat_lossscale.errors import ProgramError

COMMANDS = ("doctor", "run", "migrate", "verify")


def test_the_help_lists_every_command() -> None:
    done = CliRunner().invoke(group.command_line, ["--help"])
    assert done.exit_code == 0
    for name in COMMANDS:
        assert f"\n  {name} " in done.output


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str) -> None:
    done = CliRunner().invoke(group.command_line, [name, "--help"])
    assert done.exit_code == 0
    assert "--help" in done.output


def test_an_unknown_command_is_answered_with_the_known_ones() -> None:
    done = CliRunner().invoke(group.command_line, ["frobnicate"])
    assert done.exit_code == 64
    assert "'frobnicate'" in done.stderr
    assert all(name in done.stderr for name in COMMANDS)


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("migrte", "Did you mean 'migrate'?"),
        ("Verify", "Did you mean 'verify'?"),
        ("train.py", "To run a program: compat-lossscale run train.py"),
    ],
)
def test_a_mistyped_command_is_answered_with_the_one_that_is_meant(typed: str, hint: str) -> None:
    done = CliRunner().invoke(group.command_line, [typed])
    assert hint in " ".join(done.stderr.split())


def test_a_mistake_of_the_program_has_an_exit_code_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def main(**_: Any) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(group.command_line, "main", main)
    with pytest.raises(SystemExit) as ended:
        group.call()
    assert ended.value.code == 70
    said = capsys.readouterr().err
    assert "RuntimeError: a bug" in said
    assert said.endswith("this is a mistake in the program. Report it.\n")


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (ProgramError("it cannot be run"), 2, "compat-lossscale: it cannot be run\n"),
        (KeyboardInterrupt(), 130, "Interrupted.\n"),
    ],
)
def test_an_error_is_one_line_and_an_exit_code(
    error: BaseException,
    code: int,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def main(**_: Any) -> None:
        raise error

    monkeypatch.setattr(group.command_line, "main", main)
    with pytest.raises(SystemExit) as ended:
        group.call()
    assert (ended.value.code, capsys.readouterr().err) == (code, message)


def test_an_error_about_a_file_is_not_taken_for_a_full_disk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def main(**_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "a.py")

    monkeypatch.setattr(group.command_line, "main", main)
    with pytest.raises(SystemExit) as ended:
        group.call()
    assert ended.value.code == 70
