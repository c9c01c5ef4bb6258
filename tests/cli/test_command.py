# SPDX-License-Identifier: Apache-2.0
"""Wrong usage has one exit code in all commands."""

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
