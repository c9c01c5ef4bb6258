# SPDX-License-Identifier: Apache-2.0
"""Jupyter notebooks: cells in, cells out. Outputs, ids and the layout of the JSON stay untouched.

The code cells are one program, so they are migrated as one. Only the lines that change are written
again; every other byte of the file is kept.
"""

from __future__ import annotations

import codecs
import dataclasses
import difflib
import io
import json
import re
from typing import TYPE_CHECKING

from lossscale_codemods.analysis import syntax_check
from lossscale_codemods.analysis.notebook_cells import JSON_STRING, Cell, NotebookError, code_cells
from lossscale_codemods.prescan.byte_scan import can_hold_old_name
from lossscale_codemods.runner.cell_indentation import indentation
from lossscale_codemods.runner.cell_prompts import prompts
from lossscale_codemods.runner.cells_as_program import as_program, is_python_magic, located, split
from lossscale_codemods.vocabulary.records import Result, Status

if TYPE_CHECKING:
    from lossscale_codemods.analysis.name_resolution import RelativeImports
    from lossscale_codemods.vocabulary.options import Options

_BOMS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_FILE = re.compile(r"^%%(?:writefile|file)\s+(?!-)\S+\.py\s*$")


def migrate_notebook(
    source: bytes, options: Options, relative: RelativeImports | None = None
) -> Result:
    """Migrates the code cells of a notebook.

    Args:
        source: The file's bytes.
        options: What to do with it.
        relative: As for `migrate_source`.

    Returns:
        The new file, and what became of each old name, by cell and by line within it.
    """
    from lossscale_codemods.runner.single_source import migrate

    if not options.runs_with and not can_hold_old_name(source, selection=options.selection):
        return Result(source, source, Status.UNCHANGED)
    try:
        text = _text_of(source)
        every = list(code_cells(text))
    except NotebookError as error:
        problem = f"It is not a notebook that can be read: {error}."
        return Result(source, source, Status.UNREADABLE, problem=problem)
    layouts = {cell.number: prompts(cell) or indentation(cell, is_python_magic) for cell in every}
    cells, broken = _parsable([layouts[c.number].cell for c in every if not _is_file(c)])
    for cell in broken:
        if can_hold_old_name("".join(cell.lines).encode(), selection=options.selection):
            problem = (
                f"Cell {cell.number} does not parse, even with its magics masked. Correct it, then "
                "run again."
            )
            return Result(source, source, Status.UNREADABLE, problem=problem)
    options = dataclasses.replace(options, notebook=True)
    program, masked = as_program(cells)
    result = migrate(program, options, relative)
    records = [located(record, program, masked, layouts) for record in result.records]
    changed: dict[int, list[str]] = {}
    if result.status is Status.CHANGED:
        after = split(result.text, masked)
        if after is None or len(after) != len(cells):
            problem = "The cells could not be distinguished after the change."
            return Result(source, source, Status.REFUSED, tuple(records), problem)
        changed = {
            cell.number: layouts[cell.number].restored(lines)
            for cell, lines in zip(cells, after, strict=True)
        }
    elif result.status is not Status.UNCHANGED:
        return dataclasses.replace(result, source=source, output=source, records=tuple(records))
    for cell in filter(_is_file, every):
        inner = _migrate_file(cell, options)
        records += inner.records
        if inner.status in (Status.REFUSED, Status.UNREADABLE):
            return dataclasses.replace(inner, source=source, output=source, records=tuple(records))
        changed[cell.number] = list(io.StringIO(inner.text))
    records.sort(key=lambda r: (r.cell or 0, r.line, r.column, r.rule))
    for cell in reversed(every):
        lines = changed.get(cell.number, list(cell.lines))
        if lines and not (cell.lines and cell.lines[-1].endswith("\n")):
            lines[-1] = lines[-1].removesuffix("\n")
        if list(cell.lines) != lines:
            text = text[: cell.start] + _encoded(text, cell, lines) + text[cell.end :]
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


def _migrate_file(cell: Cell, options: Options) -> Result:
    """Migrates what a cell writes to a file, which is a program by itself."""
    from lossscale_codemods.runner.single_source import migrate

    first, *rest = cell.lines
    result = migrate("".join(rest), dataclasses.replace(options, notebook=False), None)
    records = tuple(
        dataclasses.replace(r, cell=cell.number, line=r.line + 1, end_line=r.end_line + 1, edits=())
        for r in result.records
    )
    return dataclasses.replace(
        result,
        output=first.encode() + result.output,
        records=records,
        problem=f"Cell {cell.number}: {result.problem}" if result.problem else "",
    )


def _is_file(cell: Cell) -> bool:
    """Whether a cell writes a Python file."""
    return bool(cell.lines) and _FILE.match(cell.lines[0]) is not None


def _parsable(cells: list[Cell]) -> tuple[list[Cell], list[Cell]]:
    good: list[Cell] = []
    broken: list[Cell] = []
    for cell in cells:
        program, _ = as_program([cell])
        readable = syntax_check.problem_of(program.encode("utf-8", "surrogatepass")) is None
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
    old = [token.group() for token in tokens]
    out: list[str] = []
    matcher = difflib.SequenceMatcher(None, [json.loads(o) for o in old], lines, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            out += old[i1:i2]
        else:
            out += [json.dumps(line, ensure_ascii=ascii_only) for line in lines[j1:j2]]
    return opening + separator.join(out) + closing
