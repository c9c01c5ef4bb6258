# SPDX-License-Identifier: Apache-2.0
"""A short version of the attacks on the codemod; `make nightly` runs the long one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.reliability import codemod, sweep
from tests.support import REPOSITORY


@pytest.mark.slow
@pytest.mark.parametrize("attack", ["kill", "interrupt", "pairs", "editor"])
def test_an_attack_fails(attack: str) -> None:
    assert codemod.ATTACKS[attack](2, 1000)


@pytest.mark.skipif(
    os.geteuid() != 0 or os.system("unshare --mount true 2> /dev/null") != 0,
    reason="only root mounts a small file system",
)
def test_a_full_disk_leaves_every_file_whole() -> None:
    assert codemod.full_disk(2, 1000)


def test_a_sweep_finds_nothing() -> None:
    codemods = REPOSITORY / "codemods" / "lossscale_codemods"
    tally = sweep.sweep([codemods / "reports", codemods / "source"])
    assert tally.failures == []
    assert tally.unreported == 0
    assert tally.done == tally.distinct > 5
    assert tally.outcomes["with a call: changed"] > 5


def test_a_sweep_reports_a_crash_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).write_text(f"x = '{name}'\n")
    monkeypatch.setattr(sweep, "examine", _dies_of_b)
    tally = sweep.sweep([tmp_path])
    assert tally.outcomes == {"crashed": 1, "as it is: unchanged": 2}
    assert "the process died (3)" in tally.failures[0]


def _dies_of_b(path: Path, *, plant: bool) -> tuple[list[str], list[str]]:
    if path.name == "b.py":
        os._exit(3)
    return ["as it is: unchanged"], []


def test_a_sweep_sees_what_a_codemod_must_not_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"x = 1\n")
    real = sweep.one_file.migrate_file

    def careless(path: Path, source: bytes, options: object) -> object:
        result = real(path, source, options)  # type: ignore[arg-type]  # passed on as it is
        object.__setattr__(result, "output", result.output.replace(b"x = 1", b"x = 2"))
        return result

    monkeypatch.setattr(sweep.one_file, "migrate_file", careless)
    _, problems = sweep.examine(path)
    assert problems == [
        "other bytes, although nothing is said to have changed",
        "the byte scan passes over it",
        "changed something else than the planted call",
    ]
