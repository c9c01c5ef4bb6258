# SPDX-License-Identifier: Apache-2.0
"""Leaves the look-ups of this package out of the traceback that ends a program.

A program's imports, and its reads of names that TensorFlow lacks, go through this package under
`run`. When they fail, the traceback is the one that `python` shows. Imports nothing but what Python
itself has imported when a program starts.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # `typing` is not to be imported before the program does
if TYPE_CHECKING:
    from types import TracebackType

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120  # no pathlib here
_HIDDEN = tuple(
    os.path.join(_PACKAGE, *path)  # noqa: PTH118  # no pathlib here
    for path in (
        ("legacy", "early_neighbours.py"),
        ("legacy", "tf1_imports.py"),
        ("neighbours", "lazy_names.py"),
    )
)
"""The modules whose frames are left out."""


def hide() -> None:
    """Leaves out these frames from now on, unless the program shows its errors itself."""
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _excepthook


def _excepthook(
    kind: type[BaseException], error: BaseException, frames: TracebackType | None
) -> None:
    for one in _chain(error):
        _leave_out_hidden(one.__traceback__)
    sys.__excepthook__(kind, error, frames)


def _chain(error: BaseException) -> list[BaseException]:
    """An error and those that it was raised from or during."""
    errors: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if one is not None and one not in errors:
            errors.append(one)
            waiting += [one.__cause__, one.__context__]
    return errors


def _leave_out_hidden(frames: TracebackType | None) -> None:
    while frames is not None:
        following = frames.tb_next
        while following is not None and following.tb_frame.f_code.co_filename in _HIDDEN:
            following = following.tb_next
        frames.tb_next = following
        frames = following
