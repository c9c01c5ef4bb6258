# SPDX-License-Identifier: Apache-2.0
"""How a Python interpreter was started, and how one is started."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # `typing` takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Sequence

_TAKES_A_VALUE = "WX"
_NAMES_A_PROGRAM = "cm"
# Python then ignores its environment, or imports no `site`, or goes on after the program.
WITHOUT_SITE = ("E", "I", "S")
_INTERACTIVE = "i"
_PACKAGE = "compat_lossscale"
_COMMANDS = ("compat-lossscale", "__main__.py")


def split(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Splits what follows `python` into the interpreter's options and the rest.

    The rest begins with the program: a path, `-`, `-c` or `-m`, or nothing if there is none.
    """
    index = 0
    while index < len(arguments):
        argument = arguments[index]
        if argument == "-" or not argument.startswith("-") or argument.startswith("--"):
            break
        for place, letter in enumerate(argument[1:], start=1):
            if letter in _NAMES_A_PROGRAM:
                letters = argument[:place]
                options = [*arguments[:index], *([letters] if place > 1 else [])]
                return options, ["-" + argument[place:], *arguments[index + 1 :]]
            if letter in _TAKES_A_VALUE:
                index += place == len(argument) - 1
                break
        index += 1
    return list(arguments[:index]), list(arguments[index:])


def letters(options: Sequence[str]) -> set[str]:
    """Which of the interpreter's options are among `options`, by their letters."""
    flags: set[str] = set()
    values = False
    for option in options:
        if values or not option.startswith("-"):
            values = False
            continue
        for place, letter in enumerate(option[1:], start=1):
            flags.add(letter)
            if letter in _TAKES_A_VALUE:
                values = place == len(option) - 1
                break
    return flags


def own_options() -> list[str] | None:
    """The options of this interpreter, if it was started for the command alone.

    Returns:
        `None` if something else was started that goes on to run the command, and loses sight of the
        program when another interpreter runs it: a debugger, a profiler, a test.
    """
    if _is_watched():
        return None
    count = len(sys.argv) - 1
    started, given = sys.orig_argv[1 : len(sys.orig_argv) - count], sys.orig_argv[-count:]
    options, command = split(started)
    if given != sys.argv[1:] or command not in (["-m", _PACKAGE], [sys.argv[0]]):
        return None
    if os.path.basename(sys.argv[0]) not in _COMMANDS:  # noqa: PTH119  # it may be any string
        return None
    return None if letters(options) & {*WITHOUT_SITE, _INTERACTIVE} else options


def _is_watched() -> bool:
    """Whether a tracer or a profiler is at work, or another thread."""
    if sys.gettrace() or sys.getprofile():
        return True
    monitoring = getattr(sys, "monitoring", None)  # since Python 3.12
    if monitoring is not None and any(map(monitoring.get_tool, range(6))):
        return True
    threading = sys.modules.get("threading")
    return threading is not None and threading.active_count() > 1
