# SPDX-License-Identifier: Apache-2.0
"""Jupyter notebooks: cells in, cells out. Outputs, ids and the layout of the JSON stay untouched.

The code cells are one program, so they are migrated as one, with a marker line before each cell.
Magics and shell lines are masked, and cells in other languages left out. Only the lines that change
are written anew; every other byte of the file is kept.
"""

from __future__ import annotations

import ast
import dataclasses
import difflib
import json
import re
import warnings
from typing import TYPE_CHECKING

from lossscale_codemods.analysis import syntax_check
from lossscale_codemods.analysis.notebook_cells import JSON_STRING, Cell, NotebookError, code_cells
from lossscale_codemods.prescan.byte_scan import can_hold_old_name
from lossscale_codemods.vocabulary.records import Record, Result, Status

if TYPE_CHECKING:
    from lossscale_codemods.analysis.name_resolution import RelativeImports
    from lossscale_codemods.vocabulary.options import Options

_MARKER = "# compat-lossscale-cell "
_MAGIC = re.compile(r"^(\s*)(?:[%!?]|\w+(?:\s*,\s*\w+)*\s*=\s*[%!](?!=)|\S+\?\??\s*$)")
_PYTHON_CELL_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun", "%%python3", "%%python")


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

    if not can_hold_old_name(source):
        return Result(source, source, Status.UNCHANGED)
    try:
        text = source.decode("utf-8")
        cells = [cell for cell in code_cells(text) if _is_python(cell)]
    except (UnicodeDecodeError, NotebookError) as error:
        return Result(source, source, Status.UNREADABLE, problem=f"It is no notebook: {error}.")
    cells, broken = _parsable(cells)
    for cell in broken:
        if can_hold_old_name("".join(cell.lines).encode()):
            problem = (
                f"Cell {cell.number} does not parse, even with its magics masked. Correct it, then "
                "run again."
            )
            return Result(source, source, Status.UNREADABLE, problem=problem)
    program, masked = _as_program(cells)
    result = migrate(program, dataclasses.replace(options, notebook=True), relative)
    records = tuple(_located(record, program) for record in result.records)
    if result.status is not Status.CHANGED:
        return dataclasses.replace(result, source=source, output=source, records=records)
    after = _split(result.text, masked)
    if len(after) != len(cells):
        problem = "The cells could not be told apart after the change."
        return Result(source, source, Status.REFUSED, records, problem)
    for cell, lines in zip(reversed(cells), reversed(after), strict=True):
        if lines and not (cell.lines and cell.lines[-1].endswith("\n")):
            lines[-1] = lines[-1][:-1]
        if list(cell.lines) != lines:
            text = text[: cell.start] + _encoded(text, cell, lines) + text[cell.end :]
    return Result(source, text.encode("utf-8"), Status.CHANGED, records)


def _is_python(cell: Cell) -> bool:
    first = next((line for line in cell.lines if line.strip()), "")
    return not first.startswith("%%") or first.split()[0] in _PYTHON_CELL_MAGICS


def _parsable(cells: list[Cell]) -> tuple[list[Cell], list[Cell]]:
    good: list[Cell] = []
    broken: list[Cell] = []
    for cell in cells:
        program, _ = _as_program([cell])
        readable = syntax_check.problem_of(program.encode("utf-8", "surrogatepass")) is None
        (good if readable else broken).append(cell)
    return good, broken


def _as_program(cells: list[Cell]) -> tuple[str, dict[str, str]]:
    """Returns the cells as one program, and the lines that its masks stand for."""
    out: list[str] = []
    masked: dict[str, str] = {}
    for cell in cells:
        out.append(f"{_MARKER}{cell.number}\n")
        if _is_plain(cell):
            out += [line.rstrip("\n") + "\n" for line in cell.lines]
            continue
        continued = False
        for line in cell.lines:
            body = line.rstrip("\n")
            match = None if continued else _MAGIC.match(body)
            if match is not None or (continued and out[-1].lstrip().startswith("pass  # masked")):
                indent = body[: len(body) - len(body.lstrip())]
                mask = f"{indent}pass  # masked {cell.number}.{len(masked)}"
                masked[mask] = body
                continued = body.endswith("\\")
                out.append(mask + "\n")
            else:
                continued = False
                out.append(body + "\n")
    return "".join(out), masked


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


def _split(program: str, masked: dict[str, str]) -> list[list[str]]:
    cells: list[list[str]] = []
    for line in program.split("\n"):
        if line.startswith(_MARKER):
            cells.append([])
        elif cells:
            cells[-1].append(masked.get(line, line) + "\n")
    if cells:
        cells[-1].pop()  # What is behind the last newline.
    return cells


def _located(record: Record, program: str) -> Record:
    lines = program.split("\n")
    for index in range(record.line - 1, -1, -1):
        if lines[index].startswith(_MARKER):
            number = int(lines[index][len(_MARKER) :])
            return dataclasses.replace(
                record,
                cell=number,
                line=record.line - index - 1,
                end_line=record.end_line - index - 1,
                edits=(),
            )
    return record


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
