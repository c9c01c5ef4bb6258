# SPDX-License-Identifier: Apache-2.0
"""The traceback that ends a program has no frames of this package's look-ups."""

from __future__ import annotations

import sys

import pytest

from compat_lossscale.legacy import serving, startup


@pytest.fixture
def default_hook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)


def look_up(code: str) -> Exception:
    """Runs code in which `look_up` is in a module whose frames are left out; returns its error."""
    hidden: dict[str, object] = {}
    source = "def look_up(action):\n    return action()\n"
    exec(compile(source, serving.__file__, "exec"), hidden)
    try:
        exec(compile(code, "program.py", "exec"), hidden)
    except Exception as error:  # whatever the program raises
        return error
    raise AssertionError("the program ended")


@pytest.mark.usefixtures("default_hook")
@pytest.mark.parametrize(
    "code",
    [
        "look_up(lambda: 1 / 0)",
        "try:\n    look_up(lambda: 1 / 0)\nexcept Exception as e:\n    raise OSError from e",
        "try:\n    look_up(lambda: 1 / 0)\nexcept Exception:\n    {}[1]",
    ],
    ids=["raised", "cause", "context"],
)
def test_frames_of_a_look_up_are_left_out(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    error = look_up(code)
    startup.hide()
    sys.excepthook(type(error), error, error.__traceback__)
    shown = capsys.readouterr().err
    assert "ZeroDivisionError" in shown
    assert 'File "program.py"' in shown
    assert serving.__file__ not in shown


def test_a_program_that_shows_its_errors_itself_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def own(*_: object) -> None:
        return None

    monkeypatch.setattr(sys, "excepthook", own)
    startup.hide()
    assert sys.excepthook is own
