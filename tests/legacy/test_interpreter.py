# SPDX-License-Identifier: Apache-2.0
"""Command lines of Python."""

from __future__ import annotations

import sys

import pytest

from compat_lossscale.legacy import program

INTERPRETER = "/usr/bin/python3"


@pytest.mark.parametrize(
    ("arguments", "options", "letters"),
    [
        ("train.py -u", "", ""),
        ("-u train.py", "-u", "u"),
        ("-Wd -X dev -OOB train.py -X", "-Wd -X dev -OOB", "WXOB"),
        ("-W error -", "-W error", "W"),
        ("-m train -u", "", ""),
        ("-mtrain", "", ""),
        ("-c print", "", ""),
        ("-u -IW d -m train", "-u -IW d", "uIW"),
        ("-i", "-i", "i"),
        ("", "", ""),
    ],
)
def test_the_interpreters_options_end_where_the_program_begins(
    arguments: str, options: str, letters: str
) -> None:
    found, their_letters, rest = program.split(arguments.split())
    assert found == options.split()
    assert [*found, *rest] == arguments.split()
    assert their_letters == set(letters)


def test_options_before_a_module_in_the_same_word_are_told_apart() -> None:
    assert program.split(["-Bmtrain", "x"]) == (["-B"], {"B"}, ["-mtrain", "x"])


@pytest.mark.parametrize(
    ("started", "argv", "expected"),
    [
        ("-m compat_lossscale run a.py", "/x/__main__.py run a.py", []),
        ("-X dev -W d -m compat_lossscale run a", "/x/__main__.py run a", ["-X", "dev", "-W", "d"]),
        ("/bin/compat-lossscale run -m a", "/bin/compat-lossscale run -m a", []),
        ("-B /bin/compat-lossscale run a", "/bin/compat-lossscale run a", ["-B"]),
        # Something else runs the command.
        ("-m cProfile -m compat_lossscale run a", "/x/__main__.py run a", None),
        ("/bin/coverage run -m compat_lossscale run a", "/x/__main__.py run a", None),
        ("-m pytest -q", "compat-lossscale run a", None),
        ("/bin/pytest a", "compat-lossscale a", None),
        ("/bin/pytest run a", "/bin/pytest run a", None),
        # Python does without its environment, or goes on after the program.
        ("-I -m compat_lossscale run a", "/x/__main__.py run a", None),
        ("-i -m compat_lossscale run a", "/x/__main__.py run a", None),
    ],
)
def test_only_an_interpreter_that_was_started_for_the_command_alone_gives_way(
    started: str, argv: str, expected: list[str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "orig_argv", [INTERPRETER, *started.split()])
    monkeypatch.setattr(sys, "argv", argv.split())
    monkeypatch.setattr(program, "_is_watched", lambda: False)
    assert program.own_options() == expected


def test_one_with_a_tracer_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "orig_argv", [INTERPRETER, "/bin/compat-lossscale", "run", "a"])
    monkeypatch.setattr(sys, "argv", ["/bin/compat-lossscale", "run", "a"])
    tracer = sys.gettrace()
    sys.settrace(lambda *_: None)
    try:
        assert program.own_options() is None
    finally:
        sys.settrace(tracer)
