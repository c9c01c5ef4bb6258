# SPDX-License-Identifier: Apache-2.0
"""Completion by shells: what the docs say to put into their start-up files."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import REPOSITORY

DOCUMENTED = (REPOSITORY / "docs" / "ci.md").read_text(encoding="utf-8")
# What a user would do with a key: complete the line, and print the choices.
ASKING = {
    "bash": "COMP_WORDS=(compat-lossscale {0});"
    " COMP_CWORD=$(({1} - 1)); _compat_lossscale_completion compat-lossscale;"
    ' printf "%s\\n" "${{COMPREPLY[@]}}"',
    "fish": 'complete -C "compat-lossscale {0}"',
}


@pytest.fixture
def programs(tmp_path: Path) -> dict[str, str]:
    """An environment in which `compat-lossscale` is this checkout's."""
    command = tmp_path / "compat-lossscale"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m compat_lossscale "$@"\n')
    command.chmod(0o755)
    return {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}


def completed(line: str, *python: str) -> subprocess.CompletedProcess[str]:
    words = ["compat-lossscale", *line.split(" ")]
    return subprocess.run(
        [sys.executable, *python, "-c", "from compat_lossscale.cli import main; main()"],
        env={
            **os.environ,
            "_COMPAT_LOSSSCALE_COMPLETE": "bash_complete",
            "COMP_WORDS": " ".join(words),
            "COMP_CWORD": str(len(words) - 1),
        },
        capture_output=True,
        text=True,
        check=True,
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("mi", {"plain,migrate"}),
        ("--v", {"plain,--version"}),
        ("migrate --ht", {"plain,--html"}),
        ("migrate --target ", {"plain,tf-keras", "plain,compat", "plain,keras3"}),
        ("migrate sr", {"file,sr"}),
        ("migrate --html re", {"file,re"}),
        ("verify mod", {"file,mod"}),
        ("verify --to k", {"plain,keras3"}),
        ("verify --output ou", {"file,ou"}),
    ],
)
def test_the_line_is_completed(line: str, expected: set[str]) -> None:
    assert set(completed(line).stdout.split()) == expected


def test_completing_a_command_loads_no_library() -> None:
    done = completed("", "-X", "importtime")
    assert {"plain,doctor", "plain,run", "plain,migrate", "plain,verify"} <= set(
        done.stdout.split()
    )
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "click" in imported
    assert not {name.split(".")[0] for name in imported} & {
        "libcst",
        "tensorflow",
        "jinja2",
        "h5py",
    }


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_documented_line_works_in_the_shell(shell: str, programs: dict[str, str]) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell} (Debian: apt-get install {shell})")
    (line,) = re.findall(rf"^(?:\$ )?(.*_COMPLETE={shell}_source .*)$", DOCUMENTED, re.MULTILINE)
    ask = ASKING.get(shell, "print ${{_comps[compat-lossscale]}}").format("mi", 2)
    if shell == "zsh":
        line = f"autoload -U compinit; compinit -D -u; {line}"
    done = subprocess.run(
        [shell, "-c", f"{line}\n{ask}"], check=False, env=programs, capture_output=True, text=True
    )
    expected = {"bash": "migrate", "zsh": "_compat_lossscale_completion", "fish": "migrate"}[shell]
    assert done.stdout.split("\t")[0].split() == [expected], done.stderr
