# SPDX-License-Identifier: Apache-2.0
"""Cells that are indented as a whole, which IPython takes to the margin before it runs them.

https://ipython.readthedocs.io/en/stable/config/inputtransforms.html
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lossscale_codemods.analysis.notebook_cells import Cell


@dataclasses.dataclass(frozen=True)
class Indentation:
    """What a cell's lines have in front of them.

    Attributes:
        cell: The cell with its lines at the margin.
        text: The indentation.
        head: How many lines come before the first that has it.
        outside: The lines that do not have it, in strings of several lines for one.
    """

    cell: Cell
    text: str
    head: int
    outside: frozenset[str]

    def restored(self, lines: Sequence[str]) -> list[str]:
        """Returns lines of the cell with the indentation in front of them again."""
        return [
            line
            if index < self.head or not line.strip() or line.rstrip("\n") in self.outside
            else self.text + line
            for index, line in enumerate(lines)
        ]


def indentation(cell: Cell, is_python_magic: Callable[[str], bool]) -> Indentation:
    """Returns the indentation of a cell: that of its first line, as for IPython.

    Args:
        cell: The cell.
        is_python_magic: Whether a line is a magic that runs the lines behind it as Python.
    """
    head = _empty(cell.lines, 0)
    if head < len(cell.lines) and is_python_magic(cell.lines[head]):
        head = _empty(cell.lines, head + 1)
    first = cell.lines[head] if head < len(cell.lines) else ""
    text = first[: len(first) - len(first.lstrip(" \t"))]
    body = cell.lines[head:]
    outside = {line.rstrip("\n") for line in body if not line.startswith(text)}
    margin = [
        line.removeprefix(text) if line.strip() and line.rstrip("\n") not in outside else line
        for line in body
    ]
    at_margin = dataclasses.replace(cell, lines=(*cell.lines[:head], *margin))
    return Indentation(at_margin, text, head, frozenset(outside))


def _empty(lines: Sequence[str], start: int) -> int:
    """Returns where the empty lines end that begin at an index."""
    return next((i for i in range(start, len(lines)) if lines[i].strip()), len(lines))
