# SPDX-License-Identifier: Apache-2.0
"""Starts a legacy program as `python` starts one: by `python`.

The process becomes an interpreter that runs the program, with nothing of this package between the
two. Before the program it imports `_site/sitecustomize.py`, which has the old names put into
TensorFlow when it is imported.
"""

from __future__ import annotations

import os
import sys

from compat_lossscale.errors import ProgramError
from compat_lossscale.legacy import interpreter, startup

TYPE_CHECKING = False  # `typing` takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def start(arguments: Sequence[str], options: Mapping[str, bool]) -> Callable[[], None]:
    """Becomes an interpreter that runs a program.

    Under a debugger or a profiler, which would lose sight of the program, it returns instead.

    Args:
        arguments: What would follow `python`: its options, the program, the program's arguments.
        options: See `startup.install_when_imported`.

    Returns:
        What runs the program in this process.

    Raises:
        ProgramError: Python's options cannot be what they are.
    """
    given, program = interpreter.split(arguments)
    refused = sorted(interpreter.letters(given) & set(interpreter.WITHOUT_SITE))
    if refused:
        raise ProgramError(
            f"python's option -{refused[0]} leaves out what puts the old names back: run without "
            "it, and call compat_lossscale.install() in the program"
        )
    own = interpreter.own_options()
    if own is not None:
        variables = startup.environment(options, os.environ.get("PYTHONPATH"))
        os.execve(sys.executable, [sys.executable, *own, *arguments], {**os.environ, **variables})
    if given:
        raise ProgramError(
            f"python's option {given[0]} comes too late, for Python runs another program already: "
            "give it to that"
        )
    startup.prepare(options)
    from compat_lossscale.legacy import in_process  # noqa: PLC0415  # only if used

    return lambda: in_process.run(program)
