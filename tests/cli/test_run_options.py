# SPDX-License-Identifier: Apache-2.0
"""The options of `run`, read with click and without."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from compat_lossscale.cli import run_options
from compat_lossscale.cli.group import command_line
from compat_lossscale.legacy import program

DEFAULT = {"legacy_optimizers": True, "keras3": False, "tf1": False, "neighbours": True}


@pytest.mark.parametrize(
    ("line", "rest", "changed"),
    [
        ("run train.py", "train.py", {}),
        ("run train.py --tf1 -h", "train.py --tf1 -h", {}),
        ("run --keras3 train.py", "train.py", {"keras3": True}),
        ("run --tf1 -m train --help", "-m train --help", {"tf1": True}),
        ("run --new-optimizers -mhello", "-mhello", {"legacy_optimizers": False}),
        ("run --new-optimizers --legacy-optimizers -", "-", {}),
        ("run --only-loss-scale -u -c 'a b'", "-u -c 'a b'", {"neighbours": False}),
        ("run ''", "''", {}),
    ],
)
def test_both_readers_find_the_same(
    line: str, rest: str, changed: dict[str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []

    def start(arguments: Sequence[str], options: Mapping[str, bool]) -> None:
        seen.append((list(arguments), dict(options)))

    monkeypatch.setattr(program, "start", start)
    command_line.main(shlex.split(line), standalone_mode=False)
    expected = (shlex.split(rest), {**DEFAULT, **changed})
    assert run_options.read(shlex.split(line)) == expected
    assert seen == [expected]


@pytest.mark.parametrize(
    "line", ["", "doctor", "run", "run --tf1", "run --help", "run -h", "run --no a.py", "run -- a"]
)
def test_what_takes_more_than_a_look_is_left_to_click(line: str) -> None:
    assert run_options.read(line.split()) is None


def test_two_dashes_end_the_options(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(program, "start", lambda arguments, options: seen.extend(arguments))
    command_line.main(["run", "--tf1", "--", "-m", "train"], standalone_mode=False)
    assert seen == ["-m", "train"]
