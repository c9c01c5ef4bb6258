# SPDX-License-Identifier: Apache-2.0
"""Starts a legacy program as `python` starts one: by `python`.

The process becomes an interpreter that runs the program, with nothing of this package between the
two. Before the program it imports `_site/sitecustomize.py`, which has the old names put into
TensorFlow when it is imported. Under a debugger or a profiler, which would lose sight of the
program, it runs in this process.
"""

from __future__ import annotations

import os
import runpy
import sys
import types
from collections.abc import Callable, Mapping, Sequence

from compat_lossscale.errors import ProgramError
from compat_lossscale.legacy import startup

_TAKES_A_VALUE = "WX"
_NAMES_A_PROGRAM = "cm"
# Python then ignores its environment, or imports no `site`, or goes on after the program.
WITHOUT_SITE = ("E", "I", "S")
_INTERACTIVE = "i"
_PACKAGE = "compat_lossscale"
_COMMANDS = ("compat-lossscale", "__main__.py")


def split(arguments: Sequence[str]) -> tuple[list[str], set[str], list[str]]:
    """Splits what follows `python` into the interpreter's options and the rest.

    Returns:
        The options; their letters; and the rest, which begins with the program: a path, `-`, `-c`
        or `-m`, or is empty if there is none.
    """
    letters: set[str] = set()
    index = 0
    while index < len(arguments):
        argument = arguments[index]
        if argument == "-" or not argument.startswith("-") or argument.startswith("--"):
            break
        for place, letter in enumerate(argument[1:], start=1):
            if letter in _NAMES_A_PROGRAM:
                options = [*arguments[:index], *([argument[:place]] if place > 1 else [])]
                return options, letters, ["-" + argument[place:], *arguments[index + 1 :]]
            letters.add(letter)
            if letter in _TAKES_A_VALUE:
                index += place == len(argument) - 1
                break
        index += 1
    return list(arguments[:index]), letters, list(arguments[index:])


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
    options, letters, command = split(started)
    if given != sys.argv[1:] or command not in (["-m", _PACKAGE], [sys.argv[0]]):
        return None
    if os.path.basename(sys.argv[0]) not in _COMMANDS:  # noqa: PTH119  # it may be any string
        return None
    return None if letters & {*WITHOUT_SITE, _INTERACTIVE} else options


def _is_watched() -> bool:
    """Whether a tracer or a profiler is at work, or another thread."""
    if sys.gettrace() or sys.getprofile():
        return True
    monitoring = getattr(sys, "monitoring", None)  # since Python 3.12
    if monitoring is not None and any(map(monitoring.get_tool, range(6))):
        return True
    threading = sys.modules.get("threading")
    return threading is not None and threading.active_count() > 1


def run_in_process(arguments: Sequence[str]) -> None:
    """Runs a program as `__main__`."""
    # The command line has imported click. The program may have a `click.py` of its own.
    for name in [name for name in sys.modules if name.partition(".")[0] == "click"]:
        del sys.modules[name]
    program, *args = arguments
    if program.startswith(("-c", "-m")):
        what, *args = [program[2:], *args] if len(program) > 2 else args
        sys.argv = [program[:2], *args]
        if program.startswith("-c"):
            _execute(what.encode(), "<string>")
        else:
            sys.path[0] = os.getcwd()  # noqa: PTH109  # as python does it
            runpy._run_module_as_main(what)  # type: ignore[attr-defined]  # it is what -m calls
        return
    sys.argv = [program, *args]
    if program == "-":
        _execute(sys.stdin.buffer.read(), "<stdin>")
    else:
        sys.path[0] = os.path.dirname(os.path.realpath(program))  # noqa: PTH120  # as python does it
        runpy.run_path(program, run_name="__main__")


def _execute(source: bytes, filename: str) -> None:
    """Runs code that is in no file."""
    sys.path[0] = ""
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    exec(compile(source, filename, "exec", dont_inherit=True), vars(main))


def start(arguments: Sequence[str], options: Mapping[str, bool]) -> Callable[[], None]:
    """Becomes an interpreter that runs a program.

    `arguments` is what would follow `python`. Under a debugger or a profiler, which would lose
    sight of the program, it returns what runs the program in this process.

    Raises:
        ProgramError: Python's options cannot be what they are.
    """
    given, letters, program = split(arguments)
    refused = sorted(letters & set(WITHOUT_SITE))
    if refused:
        raise ProgramError(
            f"python's option -{refused[0]} leaves out what puts the old names back: run without "
            "it, and call compat_lossscale.install() in the program"
        )
    own = own_options()
    variables = startup.environment(options)
    if own is not None:
        os.execve(sys.executable, [sys.executable, *own, *arguments], {**os.environ, **variables})
    if given:
        raise ProgramError(
            f"python's option {given[0]} comes too late, for Python runs another program already: "
            "give it to that"
        )
    os.environ.update(variables)
    startup.install_when_imported("`compat-lossscale run`", **options)
    return lambda: run_in_process(program)
