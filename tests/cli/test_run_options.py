# SPDX-License-Identifier: Apache-2.0
"""The options of `run`."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from compat_lossscale.cli import command_line
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
def test_options_end_where_the_program_begins(
    line: str, rest: str, changed: dict[str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []

    def start(arguments: Sequence[str], options: Mapping[str, bool]) -> None:
        seen.append((list(arguments), dict(options)))

    monkeypatch.setattr(program, "start", start)
    command_line.main(shlex.split(line), standalone_mode=False)
    expected = (shlex.split(rest), {**DEFAULT, **changed})
    assert seen == [expected]


def test_two_dashes_end_the_options(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(program, "start", lambda arguments, options: seen.extend(arguments))
    command_line.main(["run", "--tf1", "--", "-m", "train"], standalone_mode=False)
    assert seen == ["-m", "train"]
