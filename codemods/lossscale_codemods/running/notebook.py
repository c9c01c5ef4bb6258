# SPDX-License-Identifier: Apache-2.0
"""Jupyter notebooks: cells in, cells out. Outputs, ids and the layout of the JSON stay untouched.

The code cells are one program, so they are migrated as one, with a marker line before each. Magics
and shell lines are masked by lines of Python, and so are cells in other languages. Only the lines
that change are written again; every other byte of the file is kept.
"""

from __future__ import annotations

import codecs
import dataclasses
import json
import re
from collections.abc import Sequence

from lossscale_codemods.domain import ProjectFiles
from lossscale_codemods.project.byte_scan import can_hold_old_name
from lossscale_codemods.rewriting.engine import migrate_fully
from lossscale_codemods.source import reading
from lossscale_codemods.source.notebook_cells import (
    JSON_STRING,
    MARKER,
    PREFIXED,
    Cell,
    NotebookError,
    as_program,
    code_cells,
    parses,
)
from lossscale_codemods.tables.options import Options
from lossscale_codemods.tables.records import Record, Result, Status

_BOMS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LINE = re.compile(r"\bline (\d+)\b")
_INDISTINCT = "The cells could not be distinguished after the change."


def migrate_notebook(
    source: bytes, options: Options, project: ProjectFiles | None = None
) -> Result:
    """Migrates the code cells of a notebook.

    Args:
        source: The file's bytes.
        options: What to do with it.
        project: The project that it is in, if it is in one.

    Returns:
        The new file, and what became of each old name, by cell and by line within it.
    """
    if not options.runs_with and not can_hold_old_name(source, options):
        return Result(source, source, Status.UNCHANGED)
    try:
        text = _text_of(source)
        every = list(code_cells(text))
    except NotebookError as error:
        problem = f"It is not a notebook that can be read: {error}."
        return Result(source, source, Status.UNREADABLE, problem=problem)
    cells, broken = _parsable(every)
    for cell in broken:
        if can_hold_old_name("".join(cell.lines).encode(), options, parses=False):
            problem = (
                f"Cell {cell.number} does not parse, even with its magics masked. Take out prompts "
                "and white space in front of all lines, or correct it, then run again."
            )
            return Result(source, source, Status.UNREADABLE, problem=problem)
    options = dataclasses.replace(options, notebook=True)
    program, masked = as_program(cells)
    given = program.encode("utf-8")
    result = migrate_fully(given, options, project)
    records = [_located(record, program, masked) for record in result.records]
    changed: dict[int, list[str]] = {}
    if result.status is Status.CHANGED:
        after = _split(result.text, masked)
        if after is None or len(after) != len(cells):
            return Result(source, source, Status.REFUSED, tuple(records), _INDISTINCT)
        changed = {cell.number: lines for cell, lines in zip(cells, after, strict=True)}
    elif result.status is not Status.UNCHANGED:
        return dataclasses.replace(result, source=source, output=source, records=tuple(records))
    records.sort(key=lambda r: (r.cell or 0, r.line, r.column, r.rule))
    for cell in reversed(every):
        lines = changed.get(cell.number, list(cell.lines))
        if lines and not (cell.lines and cell.lines[-1].endswith("\n")):
            lines[-1] = lines[-1].removesuffix("\n")
        if list(cell.lines) != lines:
            text = text[: cell.start] + _encoded(text, cell, lines) + text[cell.end :]
    written = {cell.number: "".join(cell.lines) for cell in code_cells(text)}
    if any(written[number] != "".join(lines) for number, lines in changed.items()):
        return Result(source, source, Status.REFUSED, tuple(records), _INDISTINCT)
    output = text.encode("utf-8")
    status = Status.UNCHANGED if output == source else Status.CHANGED
    return Result(
        source,
        output,
        status,
        tuple(records),
        uses_old_api=result.uses_old_api,
        changes_optimizers=result.changes_optimizers,
    )


def _text_of(source: bytes) -> str:
    """Decodes a notebook, which is UTF-8 without a byte order mark."""
    if source.startswith(_BOMS):
        raise NotebookError(
            "it begins with a byte order mark, with which Jupyter does not open it. Save it as "
            "UTF-8 without one, then run again"
        )
    try:
        return source.decode()
    except UnicodeDecodeError as error:
        raise NotebookError(str(error)) from error


def _parsable(cells: list[Cell]) -> tuple[list[Cell], list[Cell]]:
    good: list[Cell] = []
    broken: list[Cell] = []
    for cell in cells:
        program, _ = as_program([cell])
        readable = reading.problem_of(program.encode("utf-8", "surrogatepass")) is None
        (good if readable else broken).append(cell)
    return good, broken


def _encoded(text: str, cell: Cell, lines: list[str]) -> str:
    """Returns the `source` value for new lines, in the layout of the old one."""
    raw = text[cell.start : cell.end]
    ascii_only = raw.isascii() and "\\u" in raw
    if raw.startswith('"'):
        return json.dumps("".join(lines), ensure_ascii=ascii_only)
    tokens = list(JSON_STRING.finditer(raw))
    if not tokens:
        return json.dumps(lines, ensure_ascii=ascii_only)
    opening, closing = raw[: tokens[0].start()], raw[tokens[-1].end() :]
    separator = raw[tokens[0].end() : tokens[1].start()] if len(tokens) > 1 else "," + opening[1:]
    old = {json.loads(token.group()): token.group() for token in tokens}
    new = [old.get(line) or json.dumps(line, ensure_ascii=ascii_only) for line in lines]
    return opening + separator.join(new) + closing


def _split(program: str, masked: dict[str, str]) -> list[list[str]] | None:
    """Returns the lines of each cell; nothing if a line is no longer what its magic takes."""
    cells: list[list[str]] = []
    prefixed = [key for key in masked if key.startswith(PREFIXED)]
    for line in program.split("\n"):
        if line.startswith(MARKER):
            cells.append([])
        elif cells:
            key = line[line.rindex(PREFIXED) :] if PREFIXED in line else None
            if key is not None:
                if key not in prefixed:
                    return None
                prefixed.remove(key)
                statement = line.removesuffix(key)
                if not parses(statement.strip()):
                    return None
                indent = statement[: len(statement) - len(statement.lstrip())]
                cells[-1].append(f"{indent}{masked[key]}{statement.strip()}\n")
            else:
                cells[-1].append(masked.get(line, line) + "\n")
    if cells:
        cells[-1].pop()  # What is behind the last newline.
    return None if prefixed else cells


def _located(record: Record, program: str, masked: dict[str, str]) -> Record:
    """Returns a record by its cell, and by its place in that."""
    lines = program.split("\n")
    line = lines[record.line - 1]
    start, end = record.column, record.end_column
    if line in masked:
        start, end = 1, len(masked[line]) + 1
    elif PREFIXED in line:
        before = len(masked[line[line.rindex(PREFIXED) :]])
        start, end = start + before, end + before
    place = _place(record.line, lines)
    if place is None:
        return record
    number, row = place
    return dataclasses.replace(
        record,
        cell=number,
        line=row,
        column=start,
        end_line=record.end_line - record.line + row,
        end_column=end,
        message=_by_cells(record.message, lines),
        edits=(),
    )


def _place(line: int, lines: Sequence[str]) -> tuple[int, int] | None:
    """Returns the cell in which a line of the program stands, and which of its lines it is."""
    for index in range(line - 1, -1, -1):
        if lines[index].startswith(MARKER):
            return int(lines[index][len(MARKER) :]), line - index - 1
    return None


def _by_cells(message: str, lines: Sequence[str]) -> str:
    """Returns a message with the lines of the program that it names as lines of cells."""

    def named(match: re.Match[str]) -> str:
        number = int(match[1])
        place = _place(number, lines) if number <= len(lines) else None
        return match[0] if place is None else f"line {place[1]} of cell {place[0]}"

    return _LINE.sub(named, message)
