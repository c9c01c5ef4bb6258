# SPDX-License-Identifier: Apache-2.0
"""A small run of the codemod's benchmark: that it measures what it says, never how long it took."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from benchmarks import codemod, codemod_page, commands, trees

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.nightly
def test_a_small_run(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    assert trees.generate(tree, 250) == 2
    read = codemod.against_reading(tree, rounds=1)
    assert (read["files"], read["with a marker"], read["found"]["files changed"]) == (250, 13, 2)
    grown = codemod.growth((10, 20), rounds=1)
    assert [(row["files"], row["with an old name"]) for row in grown] == [(10, 1), (20, 1)]
    started = codemod.start_up(rounds=1)
    echo = commands.Command([sys.executable, "-c", "print('done')"], says="done")
    rows = codemod._compared({"echo": echo, "none": "gone"}, tree, 250, 1, 60.0)
    assert rows[0]["theirs"]["complete"]
    assert rows[1]["missing"] == "gone"
    results = {
        "machine": {"processor": "any", "processors": 2, "python": "3", "load_before": 1},
        "rivals": rows,
    }
    results |= {
        "start-up": started,
        "Python": read,
        "site-packages": read,
        "tf-keras": read,
        "growth": grown,
    }
    page = codemod_page.text(json.loads(json.dumps(results)))
    assert "| echo |" in page
    assert "none: gone" in page


def test_a_command_that_fails_is_no_measurement() -> None:
    with pytest.raises(commands.CommandError, match="ended with exit code 3"):
        commands.run(commands.Command([sys.executable, "-c", "raise SystemExit(3)"]))
    with pytest.raises(commands.CommandError, match="ended with exit code 0"):
        commands.run(commands.Command([sys.executable, "-c", "pass"], says="done"))


def test_a_command_that_takes_too_long_is_cut_off() -> None:
    slow = commands.Command([sys.executable, "-c", "import time; time.sleep(60)"])
    used = commands.in_turns({"slow": slow}, rounds=3, at_most=0.5)
    assert [use.complete for use in used["slow"]] == [False]


def test_files_that_a_rival_cannot_read_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = f'{y}'\n")
    (tmp_path / "b.py").write_text("x = '{y}'[1:2]\n")
    (tmp_path / "c.py").write_text("x = y[1:2, :]\n")
    assert trees.plain_files(tmp_path, tmp_path / "plain") == 1
