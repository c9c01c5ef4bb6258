# SPDX-License-Identifier: Apache-2.0
"""Wrong usage has one exit code in all commands, and hints for those who know other tools."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from compat_lossscale.cli import command_line

WRONG = [
    ("frobnicate",),
    ("--frobnicate",),
    ("migrate",),
    ("migrate", "--frobnicate"),
    ("migrate", "--jobs", "none", "."),
    ("verify",),
    ("verify", "--to", "nothing", "x"),
    ("verify", "--output", "x.json", "x"),
    ("doctor", "no such folder"),
    ("doctor", "--seconds", "-1"),
    ("compare",),
    ("compare", "--rtol", "x", "a", "b"),
    ("record",),
    ("record", "--frobnicate", "x.py"),
    ("run",),
    ("run", "--steps", "3", "x.py"),
]


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_wrong_usage_has_one_exit_code(arguments: tuple[str, ...]) -> None:
    done = CliRunner().invoke(command_line, arguments)
    assert done.exit_code == 64, done.output
    assert "Error: " in done.stderr


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        ("--fix", "--write writes"),
        ("-w", "--write writes"),
        ("-i", "--write writes"),
        ("--in-place", "--write writes"),
        ("--diff", "the diffs are shown"),
        ("--dry-run", "nothing is written"),
    ],
)
def test_options_of_other_tools_name_the_one_that_is_meant(option: str, hint: str) -> None:
    done = CliRunner().invoke(command_line, ["migrate", option, "a.py"])
    assert done.exit_code == 64
    said = " ".join(done.stderr.split())
    assert f"There is no option {option}." in said
    assert hint in said
