# SPDX-License-Identifier: Apache-2.0
"""The progress of a long run, on a terminal only."""

from __future__ import annotations

import io
import types

import pytest

from compat_lossscale.cli import migrate
from compat_lossscale.cli.migrate import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def echo(self, text: str, *, nl: bool, err: bool) -> None:
        assert (nl, err) == (False, True)
        self.write(text)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    terminal = Terminal()
    monkeypatch.setattr(migrate, "sys", types.SimpleNamespace(stderr=terminal))
    monkeypatch.setattr(migrate.click, "echo", terminal.echo)
    monkeypatch.setattr(migrate, "_LONG_RUN", -1.0)
    return terminal


def test_a_long_run_shows_its_progress_and_removes_the_line(terminal: Terminal) -> None:
    with Progress(quiet=False) as progress:
        progress(1, 2)
        assert terminal.getvalue().endswith("[###############---------------] 1/2 files")
        progress(2, 2)
        assert terminal.getvalue().endswith(f"[{'#' * 30}] 2/2 files")
    assert terminal.getvalue().rpartition("files")[2].strip() == ""


@pytest.mark.parametrize("why", ["quiet", "short", "no terminal"])
def test_nothing_is_shown_otherwise(
    why: str, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    if why == "short":
        monkeypatch.setattr(migrate, "_LONG_RUN", 3600.0)
    elif why == "no terminal":
        monkeypatch.setattr(terminal, "isatty", lambda: False)
    with Progress(quiet=why == "quiet") as progress:
        progress(1, 2)
    assert terminal.getvalue() == ""
