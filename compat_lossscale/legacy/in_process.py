# SPDX-License-Identifier: Apache-2.0
"""Runs a program inside this process, where a debugger or a profiler sees it.

As near to `python` as can be while other frames are below the program's.
"""

from __future__ import annotations

import builtins
import importlib.machinery
import importlib.util
import os
import pkgutil
import runpy
import sys
import types
from collections.abc import Sequence


def run(arguments: Sequence[str]) -> None:
    """Runs a program as `__main__`, which it stays.

    Args:
        arguments: What would follow `python`: a script's path (or that of a directory or zip file
            with a `__main__.py`), `-`, `-c` and code or `-m` and a module's name; then the
            program's own arguments.

    Raises:
        BaseException: What the program raises.
    """
    _forget_own_imports()
    program, *args = arguments
    main = _new_main()
    if program.startswith(("-c", "-m")):
        what, *args = [program[2:], *args] if len(program) > 2 else args
        sys.argv = [program[:2], *args]
        if program.startswith("-c"):
            sys.path[0] = ""
            _execute(what.encode(), "<string>", main)
        else:
            sys.path[0] = os.getcwd()  # noqa: PTH109  # as python does it
            runpy._run_module_as_main(what)  # type: ignore[attr-defined]  # it is what -m calls
        return
    sys.argv = [program, *args]
    if program == "-":
        sys.path[0] = ""
        _execute(sys.stdin.buffer.read(), "<stdin>", main)
    elif pkgutil.get_importer(program) is not None:
        sys.path[0] = program
        runpy._run_module_as_main("__main__", alter_argv=False)  # type: ignore[attr-defined]  # as above
    else:
        sys.path[0] = os.path.dirname(os.path.realpath(program))  # noqa: PTH120  # as python does it
        _run_file(program, main)


def _forget_own_imports() -> None:
    """The command line has imported click. The program may have a `click.py` of its own."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "click"]:
        del sys.modules[name]


def _new_main() -> types.ModuleType:
    main = types.ModuleType("__main__")
    main.__annotations__ = {}
    main.__builtins__ = builtins  # type: ignore[attr-defined]  # added here
    sys.modules["__main__"] = main
    return main


def _run_file(path: str, main: types.ModuleType) -> None:
    try:
        with open(path, "rb") as file:  # noqa: PTH123  # a pipe is as good as a file
            content = file.read()
    except OSError as error:
        message = (
            f"can't open file {os.path.abspath(path)!r}: [Errno {error.errno}] {error.strerror}"  # noqa: PTH100  # links unresolved
        )
        print(f"{sys.executable}: {message}", file=sys.stderr)
        raise SystemExit(2) from None
    main.__file__ = path = os.path.abspath(path)  # noqa: PTH100  # links unresolved
    main.__cached__ = None  # type: ignore[attr-defined]  # as python has it
    if content.startswith(importlib.util.MAGIC_NUMBER):
        loader = importlib.machinery.SourcelessFileLoader("__main__", path)
        main.__loader__ = loader
        code = loader.get_code("__main__")
        assert code is not None
        exec(code, vars(main))
        return
    main.__loader__ = importlib.machinery.SourceFileLoader("__main__", path)
    _execute(content, path, main)


def _execute(source: bytes, filename: str, main: types.ModuleType) -> None:
    exec(compile(source, filename, "exec", dont_inherit=True), vars(main))
