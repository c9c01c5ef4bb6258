# SPDX-License-Identifier: Apache-2.0
"""Cells that were pasted from Python's own shell, with its prompts, which IPython takes away.

https://ipython.readthedocs.io/en/stable/config/inputtransforms.html
"""

from __future__ import annotations

import dataclasses
import difflib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lossscale_codemods.analysis.notebook_cells import Cell

_PROMPT = re.compile(r"(?:>>>|\.\.\.)(?: |$)", re.MULTILINE)
_FIRST = ">>> "
_CONTINUED = "... "


@dataclasses.dataclass(frozen=True)
class Prompts:
    """The prompts in front of a cell's lines.

    Attributes:
        cell: The cell without them.
        text: The first of them.
        head: How many lines come before the first that has one.
        in_front: What is in front of each line of the cell.
    """

    cell: Cell
    text: str
    head: int
    in_front: Sequence[str]

    def restored(self, lines: Sequence[str]) -> list[str]:
        """Returns lines of the cell with prompts in front of them again."""
        matcher = difflib.SequenceMatcher(None, list(self.cell.lines), list(lines), autojunk=False)
        restored: list[str] = []
        for _, i1, i2, j1, j2 in matcher.get_opcodes():
            new = [_prompt(line) for line in lines[j1:j2]]
            if i2 - i1 == j2 - j1:
                new = list(self.in_front[i1:i2])
            restored += [front + line for front, line in zip(new, lines[j1:j2], strict=True)]
        return restored


def prompts(cell: Cell) -> Prompts | None:
    """Returns the prompts of a cell, if it begins with one, as for IPython."""
    head = next((i for i, line in enumerate(cell.lines) if line.strip()), 0)
    first = cell.lines[head] if head < len(cell.lines) else ""
    if not first.startswith(_FIRST):
        return None
    code = [_PROMPT.sub("", line, count=1) if _PROMPT.match(line) else line for line in cell.lines]
    in_front = [b.removesuffix(a) for b, a in zip(cell.lines, code, strict=True)]
    return Prompts(dataclasses.replace(cell, lines=tuple(code)), _FIRST, head, in_front)


def _prompt(line: str) -> str:
    """Returns the prompt for a line that was not there before."""
    return _CONTINUED if line[:1].isspace() else _FIRST
