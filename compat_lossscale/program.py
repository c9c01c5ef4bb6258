# SPDX-License-Identifier: Apache-2.0
"""Runs a legacy program inside this process the way `python` runs one."""

from __future__ import annotations

import builtins
import importlib.machinery
import importlib.util
import os
import runpy
import sys
import traceback
import types
from collections.abc import Sequence
from pathlib import Path

import compat_lossscale
from compat_lossscale._require import require_tensorflow
from compat_lossscale.errors import ProgramError

_SIGINT_EXIT_CODE = 130
_STANDARD_INPUT = "-"
# What stands between the command and the program's first frame, and is none of the program's.
_RUNNERS = frozenset(
    {
        __file__,
        runpy.__file__,
        importlib.util.__file__,
        "<frozen runpy>",
        "<frozen importlib.util>",
        "<frozen importlib._bootstrap>",
        "<frozen importlib._bootstrap_external>",
    }
)
# Under --tf1 each of the program's imports goes through it. (The module itself needs TensorFlow.)
_IMPORT_HOOK = str(Path(__file__).with_name("tf1_imports.py"))


def check_readable(script: str) -> None:
    """Checks for a script before the seconds that importing TensorFlow takes.

    Args:
        script: See `run`.

    Raises:
        ProgramError: There is no such file, or it cannot be read.
    """
    if script == _STANDARD_INPUT:
        return
    is_folder = os.path.isdir(script)
    path = Path(script, "__main__.py") if is_folder else Path(script)
    try:
        with path.open("rb"):
            pass
    except OSError as error:
        if is_folder and isinstance(error, FileNotFoundError):
            raise ProgramError(
                f"can't run {script!r}: the directory has no __main__.py; name a script in it"
            ) from None
        raise ProgramError(f"can't open {str(path)!r}: {error.strerror}") from None


def prepare(*, legacy_optimizers: bool, tf1: bool) -> None:
    """Puts the old names in place.

    Args:
        legacy_optimizers: See `compat_lossscale.install`.
        tf1: Whether `import tensorflow` in the program means TensorFlow 1.
    """
    require_tensorflow("`compat-lossscale run`")
    compat_lossscale.install(legacy_optimizers=legacy_optimizers)
    if tf1:
        from compat_lossscale import tf1_imports  # noqa: PLC0415  # needs TensorFlow

        tf1_imports.enable()


def run(program: str, args: Sequence[str], *, is_module: bool) -> int:
    """Runs a program as `__main__`.

    Args:
        program: A script's path (or a directory's or zip file's with a `__main__.py`), `"-"` for
            standard input, or a module's name.
        args: The program's own arguments.
        is_module: Whether `program` is a module's name.

    Returns:
        The exit code. An exception that nobody caught is printed with the program's own frames
        only, by `sys.excepthook`, and gives 1.
    """
    sys.argv = [program, *args]
    # What stands first now is the directory of the command that was started.
    sys.path[0] = _first_on_path(program, is_module)
    try:
        if is_module:
            _run_module(program)
        elif program == _STANDARD_INPUT:
            _execute(sys.stdin.buffer.read(), "<stdin>", _new_main())
        elif Path(program).is_file() and not _is_zip(program):
            _run_script(program)
        else:
            del sys.path[0]
            runpy.run_path(program, run_name="__main__")
    except SystemExit as exit_:
        return _exit_code(exit_)
    except BaseException as error:
        _print_own_frames(error)
        return _SIGINT_EXIT_CODE if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _is_zip(path: str) -> bool:
    with Path(path).open("rb") as file:
        return file.read(4) == b"PK\x03\x04"


def _first_on_path(program: str, is_module: bool) -> str:
    """What python puts first: the script's directory, or the working directory."""
    if is_module:
        return str(Path.cwd())
    return "" if program == _STANDARD_INPUT else str(Path(program).resolve().parent)


def _run_script(path: str) -> None:
    path = os.path.abspath(path)  # noqa: PTH100  # as python does it, links unresolved
    main = _new_main()
    main.__file__ = path
    main.__loader__ = importlib.machinery.SourceFileLoader("__main__", path)
    _execute(Path(path).read_bytes(), path, main)


def _new_main() -> types.ModuleType:
    main = types.ModuleType("__main__")
    main.__annotations__ = {}
    main.__builtins__ = builtins  # type: ignore[attr-defined]  # added here
    sys.modules["__main__"] = main
    return main


def _execute(source: bytes, filename: str, main: types.ModuleType) -> None:
    exec(compile(source, filename, "exec", dont_inherit=True), main.__dict__)


def _run_module(name: str) -> None:
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError) as error:
        raise SystemExit(f"compat-lossscale run: can't find module {name!r}: {error}") from None
    if found is None:
        raise SystemExit(f"compat-lossscale run: No module named {name}")
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def _exit_code(exit_: SystemExit) -> int:
    """What `python` exits with; a message goes to stderr and means 1."""
    if exit_.code is None:
        return 0
    if isinstance(exit_.code, int):
        return exit_.code
    print(exit_.code, file=sys.stderr)
    return 1


def _print_own_frames(error: BaseException) -> None:
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename in _RUNNERS:
        frames = frames.tb_next
    error = error.with_traceback(frames)
    for one in _chain(error):
        _leave_out_import_hook(one.__traceback__)
    try:
        sys.excepthook(type(error), error, frames)
    except Exception:
        traceback.print_exc()


def _chain(error: BaseException) -> list[BaseException]:
    """An error and those that it was raised from or during."""
    found: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if one is not None and one not in found:
            found.append(one)
            waiting += [one.__cause__, one.__context__]
    return found


def _leave_out_import_hook(frames: types.TracebackType | None) -> None:
    while frames is not None:
        following = frames.tb_next
        while following is not None and following.tb_frame.f_code.co_filename == _IMPORT_HOOK:
            following = following.tb_next
        frames.tb_next = following
        frames = following
