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
from compat_lossscale.errors import ProgramError

_SIGINT_EXIT_CODE = 130


def check_readable(script: str) -> None:
    """Checks for a script before the seconds that importing TensorFlow takes.

    Raises:
        ProgramError: There is no such file, or it cannot be read.
    """
    path = Path(script)
    if path.is_dir():
        if not (path / "__main__.py").is_file():
            raise ProgramError(f"can't run {script!r}: the directory has no __main__.py")
        return
    try:
        with path.open("rb"):
            pass
    except OSError as error:
        raise ProgramError(f"can't open {script!r}: {error.strerror}") from None


def prepare(*, legacy_optimizers: bool, tf1: bool) -> None:
    """Puts the old names in place.

    Args:
        legacy_optimizers: See `compat_lossscale.install`.
        tf1: Whether `import tensorflow` in the program means TensorFlow 1.
    """
    compat_lossscale.install(legacy_optimizers=legacy_optimizers)
    if tf1:
        from compat_lossscale import tf1_imports  # noqa: PLC0415  # needs TensorFlow

        tf1_imports.enable()


def run(program: str, args: Sequence[str], *, is_module: bool) -> int:
    """Runs a program as `__main__`.

    Args:
        program: A script's path (or a directory's or zip file's with a `__main__.py`), or a
            module's name.
        args: The program's own arguments.
        is_module: Whether `program` is a module's name.

    Returns:
        The exit code. An exception that nobody caught is printed with the program's own frames
        only, by `sys.excepthook`, and gives 1.
    """
    sys.argv = [program, *args]
    # python puts the script's directory first, or the working directory for a module; what stands
    # first now is the directory of the command that was started.
    sys.path[0] = str(Path.cwd()) if is_module else str(Path(program).resolve().parent)
    try:
        if is_module:
            _run_module(program)
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


def _run_script(path: str) -> None:
    path = os.path.abspath(path)  # noqa: PTH100  # as python does it, links unresolved
    main = types.ModuleType("__main__")
    main.__file__ = path
    main.__loader__ = importlib.machinery.SourceFileLoader("__main__", path)
    main.__annotations__ = {}
    main.__builtins__ = builtins  # type: ignore[attr-defined]
    sys.modules["__main__"] = main
    code = compile(Path(path).read_bytes(), path, "exec", dont_inherit=True)
    exec(code, main.__dict__)


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
    runners = (__file__, runpy.__file__, "<frozen runpy>", "<frozen importlib._bootstrap>")
    while frames is not None and frames.tb_frame.f_code.co_filename in runners:
        frames = frames.tb_next
    try:
        sys.excepthook(type(error), error.with_traceback(frames), frames)
    except Exception:
        traceback.print_exc()
