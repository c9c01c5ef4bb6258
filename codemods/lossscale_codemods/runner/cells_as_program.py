# SPDX-License-Identifier: Apache-2.0
"""The code cells of a notebook as one program, with a marker line before each, and back.

Magics and shell lines are masked by lines of Python, and so are cells in other languages.
"""

from __future__ import annotations

import ast
import dataclasses
import re
import warnings
from typing import TYPE_CHECKING

from lossscale_codemods.vocabulary.mentions import mentions_of_old_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lossscale_codemods.analysis.notebook_cells import Cell
    from lossscale_codemods.runner.cell_indentation import Indentation
    from lossscale_codemods.runner.cell_prompts import Prompts
    from lossscale_codemods.vocabulary.records import Record

_MARKER = "# compat-lossscale-cell "
_LINE = re.compile(r"\bline (\d+)\b")
_TARGET = r"\w[\w.]*(?:\[[^\]]*\])*"
_MAGIC = re.compile(
    rf"^(\s*)(?:[%!?]|{_TARGET}(?:\s*,\s*{_TARGET})*\s*=\s*[%!](?!=)|\S+\?\??\s*$|[/,;]\w)"
)
_SHELL = re.compile(
    r"^\s*(?:cat|cd|conda|cp|less|ll|ls|mamba|man|mkdir|more|mv|pip3?|pwd|rm|rmdir|uv)\s+[^\s=(.,]"
)
"""Magics that IPython takes without a `%`, where the line is no Python."""
_TIMED = re.compile(r"^(\s*%(?:time|timeit|prun|memit)\s+(?:-\w+\s+(?:\d+\s+)?)*)(?!-)(\S.*)$")
"""Magics of a line that run the Python behind them, with their options."""
_PREFIXED = "  # behind magic "
_PROSE_CELL_MAGICS = ("%%html", "%%javascript", "%%js", "%%latex", "%%markdown", "%%svg")
_PYTHON_CELL_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun", "%%python3", "%%python")


def as_program(cells: list[Cell]) -> tuple[str, dict[str, str]]:
    """Returns the cells as one program, and the lines that its masks stand for."""
    out: list[str] = []
    masked: dict[str, str] = {}
    for cell in cells:
        out.append(f"{_MARKER}{cell.number}\n")
        if _is_python(cell) and _is_plain(cell):
            out += [line.rstrip("\n") + "\n" for line in cell.lines]
            continue
        continued, indent = False, ""
        for line in cell.lines:
            body = line.rstrip("\n")
            indent = indent if continued else body[: len(body) - len(body.lstrip())]
            key = f"{cell.number}.{len(masked)}"
            timed = None if continued else _TIMED.match(body)
            if timed is not None and _is_python(cell) and _parses(timed.group(2)):
                masked[_PREFIXED + key] = timed.group(1).lstrip()
                out.append(f"{indent}{timed.group(2)}{_PREFIXED}{key}\n")
                continue
            magic = not _is_python(cell) or continued or _is_magic(body)
            if magic:
                mask = _mask(body, key, cell, indent)
                masked[mask] = body
                out.append(mask + "\n")
            else:
                out.append(body + "\n")
            continued = magic and body.endswith("\\")
    return "".join(out), masked


def _first_line(cell: Cell) -> str:
    return next((line for line in cell.lines if line.strip()), "")


def _is_python(cell: Cell) -> bool:
    first = _first_line(cell)
    return not first.startswith("%%") or is_python_magic(first)


def is_python_magic(line: str) -> bool:
    """Whether a line is a magic behind which a cell is Python."""
    return line.startswith("%%") and line.split(maxsplit=1)[0] in _PYTHON_CELL_MAGICS


def _is_magic(line: str) -> bool:
    """Whether a line is one for IPython, in a cell that has some."""
    if _MAGIC.match(line) is not None:
        return True
    return _SHELL.match(line) is not None and not _parses(line.strip())


def _mask(line: str, key: str, cell: Cell, indent: str) -> str:
    """Returns a line of Python that stands for a magic, a shell line or one of no Python."""
    indent = indent if _is_python(cell) else ""
    is_prose = _first_line(cell).startswith(_PROSE_CELL_MAGICS)
    if not is_prose and any(mentions_of_old_names(line)):
        # As IPython writes it, so that rules see the string.
        return f"{indent}get_ipython().system({line.strip()!r})  # masked {key}"
    return f"{indent}pass  # masked {key}"


def _parses(statement: str) -> bool:
    try:
        ast.parse(statement)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return "#" not in statement


def _is_plain(cell: Cell) -> bool:
    """Whether a cell has no magics: then `%` at the start of a line is an operator."""
    source = "".join(cell.lines)
    flags = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(source, "<cell>", "exec", flags, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def split(program: str, masked: dict[str, str]) -> list[list[str]] | None:
    """Returns the lines of each cell; nothing if a line is no longer what its magic takes."""
    cells: list[list[str]] = []
    prefixed = [key for key in masked if key.startswith(_PREFIXED)]
    for line in program.split("\n"):
        if line.startswith(_MARKER):
            cells.append([])
        elif cells:
            key = line[line.rindex(_PREFIXED) :] if _PREFIXED in line else None
            if key is not None:
                if key not in prefixed:
                    return None
                prefixed.remove(key)
                statement = line.removesuffix(key)
                if not _parses(statement.strip()):
                    return None
                indent = statement[: len(statement) - len(statement.lstrip())]
                cells[-1].append(f"{indent}{masked[key]}{statement.strip()}\n")
            else:
                cells[-1].append(masked.get(line, line) + "\n")
    if cells:
        cells[-1].pop()  # What is behind the last newline.
    return None if prefixed else cells


def located(
    record: Record,
    program: str,
    masked: dict[str, str],
    layouts: Mapping[int, Indentation | Prompts],
) -> Record:
    """Returns a record by its cell, and by its place in that.

    Args:
        record: The record, by its place in the program.
        program: The program.
        masked: The lines that its masks stand for.
        layouts: How the cells are indented, by their numbers.
    """
    lines = program.split("\n")
    line = lines[record.line - 1]
    start, end = record.column, record.end_column
    if line in masked:
        start, end = 1, len(masked[line]) + 1
    elif _PREFIXED in line:
        before = len(masked[line[line.rindex(_PREFIXED) :]])
        start, end = start + before, end + before
    place = _place(record.line, lines)
    if place is None:
        return record
    number, row = place
    layout = layouts[number]
    shift = len(layout.text) if row > layout.head else 0
    return dataclasses.replace(
        record,
        cell=number,
        line=row,
        column=start + shift,
        end_line=record.end_line - record.line + row,
        end_column=end + shift,
        message=_by_cells(record.message, lines),
        edits=(),
    )


def _place(line: int, lines: Sequence[str]) -> tuple[int, int] | None:
    """Returns the cell in which a line of the program stands, and which of its lines it is."""
    for index in range(line - 1, -1, -1):
        if lines[index].startswith(_MARKER):
            return int(lines[index][len(_MARKER) :]), line - index - 1
    return None


def _by_cells(message: str, lines: Sequence[str]) -> str:
    """Returns a message with the lines of the program that it names as lines of cells."""

    def named(match: re.Match[str]) -> str:
        number = int(match[1])
        place = _place(number, lines) if number <= len(lines) else None
        return match[0] if place is None else f"line {place[1]} of cell {place[0]}"

    return _LINE.sub(named, message)
