# SPDX-License-Identifier: Apache-2.0
"""`compat-lossscale run` is `python`, but for the old names in TensorFlow.

`python -m tests.cli.run_as_python` compares them on every Python that is supported.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.cli import run_as_python, run_with_tools
from tests.support import python

LINES = run_as_python.lines()
PARTS = 8


def test_there_are_more_than_a_hundred_command_lines() -> None:
    assert len(LINES) == len(set(LINES)) > 150


@pytest.mark.sampled(8)
@pytest.mark.parametrize("part", range(PARTS))
def test_programs_do_the_same_under_both(part: int) -> None:
    chosen = LINES[part::PARTS]
    assert run_as_python.differences(chosen, sys.executable) == []


def test_a_difference_is_seen() -> None:
    line = """$PYTHON -c 'import sys; print("compat_lossscale" in sys.modules)'"""
    assert len(run_as_python.differences([line], sys.executable)) == 1


@pytest.mark.parametrize(
    ("line", "given", "expected"),
    [one for one in run_with_tools.LINES if re.match("-m (cProfile|pdb)", one[0])],
)
def test_a_tool_that_runs_the_command_sees_the_program(
    line: str, given: str, expected: str, tmp_path: Path
) -> None:
    (tmp_path / "program.py").write_text(run_with_tools.PROGRAM)
    done = python(*line.split(), given=given, cwd=tmp_path)
    assert re.search(expected, done.stdout), done
