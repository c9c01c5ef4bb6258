# SPDX-License-Identifier: Apache-2.0
"""What a run does with one file: migrates it, or suppresses by comments what it finds there.

The code cells of a notebook are one program, so they are migrated as one, with a marker line before
each. Magics and shell lines are masked by lines of Python, and so are cells in other languages.
Only the lines that change are written again; outputs, ids and every other byte stay as they are.
"""

from __future__ import annotations

import ast
import codecs
import collections
import dataclasses
import functools
import io
import json
import os
import re
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from lossscale_codemods.domain import ProjectFiles
from lossscale_codemods.project.byte_scan import can_hold_old_name
from lossscale_codemods.project.discovery import CONFIG_SUFFIXES, IgnoreFile
from lossscale_codemods.rewriting.engine import migrate_fully
from lossscale_codemods.rules.texts import migrate_config
from lossscale_codemods.running.processes import Task, Workers
from lossscale_codemods.source import reading
from lossscale_codemods.source.layout import LINE_LENGTH
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
from lossscale_codemods.source.reading import read, text_of
from lossscale_codemods.tables.names import Target
from lossscale_codemods.tables.options import Exports, Options, Selection
from lossscale_codemods.tables.records import Outcome, Record, Result, Status, left

_OPEN = (Outcome.REWRITTEN, Outcome.NEEDS_REVIEW)
_OURS = re.compile(rb"compat-lossscale:\s*ignore\[([^\]]*)\]\s*$")
_LAYOUT = (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT)
_ROUNDS = 4
"""What is suppressed can be a reason for another finding, at a line before it."""


def migrate_source(
    source: bytes | str,
    *,
    target: Target | str = Target.TF_KERAS,
    select: tuple[str, ...] = (),
    ignore: tuple[str, ...] = (),
    collapse_guards: bool = False,
    unsafe_fixes: bool = False,
    legacy_optimizers: bool | None = None,
    used_elsewhere: Iterable[str] = (),
) -> Result:
    """Migrates the source of one Python file.

    It sees no other file, and takes the source for a program by itself.

    Args:
        source: The file's bytes, or its text.
        target: What to migrate to: `"tf-keras"`, `"compat"`, `"keras3"`, or `"keras3-alone"`, which
            uses nothing but Keras 3.
        select: Ids, or beginnings of ids, of the rules to apply; empty for all.
        ignore: Ids, or beginnings of ids, of the rules not to apply.
        collapse_guards: Whether to take out branches that are only for old versions.
        unsafe_fixes: Whether to rewrite what is probably right and not proven as well.
        legacy_optimizers: Whether Keras optimizers stay of the family that `tf.keras.optimizers`
            had up to TensorFlow 2.10; by default, in programs with old names. `True` says that
            this one is of that time, whatever its names are.
        used_elsewhere: Names of the module that other files import or read, so that they stay what
            they are; with a dot before them, attributes of its classes.

    Returns:
        The new source and what became of each old name. It never raises for what is in the file.
    """
    users = dict.fromkeys(used_elsewhere, "another file")
    selection = Selection(tuple(select), tuple(ignore))
    options = Options(
        Target(target),
        selection,
        collapse_guards=collapse_guards,
        unsafe_fixes=unsafe_fixes,
        legacy_optimizers=legacy_optimizers,
        exports=Exports(users=users),
    )
    return migrate(source, options)


def migrate(source: bytes | str, options: Options) -> Result:
    """Does what `migrate_source` does, with the options in one value."""
    given = source.encode("utf-8") if isinstance(source, str) else source
    if not options.runs_with and not can_hold_old_name(given, options):
        return Result(given, given, Status.UNCHANGED)
    return migrate_fully(given, options)


def migrate_file(path: Path, source: bytes, options: Options) -> Result:
    """Gives a file a full parse; a mistake of ours becomes a report, not a traceback."""
    exports = dataclasses.replace(options.exports, package=path.stem == "__init__")
    here = options.observed_in(path.absolute().as_posix())
    options = dataclasses.replace(options, exports=exports, observed_here=here)
    if options.per_file_ignores:
        ignore = (*options.selection.ignore, *_ignored_in(path, options))
        selection = dataclasses.replace(options.selection, ignore=ignore)
        options = dataclasses.replace(options, selection=selection)
    try:
        if path.suffix in CONFIG_SUFFIXES:
            return migrate_config(source, options)
        options = dataclasses.replace(options, line_length=LINE_LENGTH)
        migrate = migrate_notebook if path.suffix == ".ipynb" else migrate_fully
        result = migrate(source, options, ProjectFiles(path, options.together))
        if result.status is not Status.UNREADABLE or options.runs_with:
            return result
        is_old = can_hold_old_name(source, options, parses=False)
        return result if is_old else Result(source, source, Status.UNCHANGED)
    except KeyboardInterrupt:
        raise
    # One bad file must not stop the others, and libcst's panics are no `Exception`.
    except BaseException as error:
        problem = (
            f"This is a mistake in the codemod ({type(error).__name__}: {error}). The file is "
            "unchanged. Report it."
        )
        return Result(source, source, Status.REFUSED, problem=problem)


def _ignored_in(path: Path, options: Options) -> Iterator[str]:
    """Yields the rules that are not applied in a file, though they are in others."""
    folder = Path(options.ignores_from)
    place = Path(os.path.relpath(path.absolute(), folder))
    for pattern, ids in options.per_file_ignores:
        ignores = IgnoreFile.of(folder, [pattern])
        for part in (place, *place.parents):
            if ignores.match(part.as_posix(), is_folder=part != place) is not None:
                yield from ids
                break


def unreadable(error: OSError) -> Result:
    """Returns what is to be said of a file that cannot be read."""
    problem = f"It cannot be read: {error.strerror or error}."
    return Result(b"", b"", Status.UNREADABLE, problem=problem)


def migrate_task(task: Task) -> Result:
    """Reads a file and migrates it."""
    try:
        source = read(task.name)
    except OSError as error:
        return unreadable(error)
    return migrate_file(Path(task.name), source, task.options)


def migrate_apart(path: Path, source: bytes, options: Options) -> Result:
    """Migrates a source that is in no file, in a worker, as files are.

    Notebooks are told by the path. If the worker comes to an end over it, it stays as it was.
    """
    if not can_hold_old_name(source, options):
        return Result(source, source, Status.UNCHANGED)
    task = Task(str(path), len(source), options)
    with Workers(1, functools.partial(_migrate_given, source)) as workers:
        [(_, result)] = workers.migrate([task])
    if result.status is Status.UNREADABLE:
        return dataclasses.replace(result, source=source, output=source)
    return result


def _migrate_given(source: bytes, task: Task) -> Result:
    return migrate_file(Path(task.name), source, task.options)


def suppressed(path: Path, result: Result, options: Options) -> Result:
    """Returns what becomes of a file if comments suppress what a migration, `result`, finds in it.

    Notebooks and files that were not understood stay as they are.
    """
    if result.status in (Status.UNREADABLE, Status.REFUSED) or not _open(result):
        return result
    now = result
    for _ in range(_ROUNDS):
        rules: dict[int, set[str]] = collections.defaultdict(set)
        for record in _open(now):
            rules[record.line].add(record.rule)
        is_notebook = any(record.cell is not None for record in now.records)
        after = now.source if is_notebook else _with_comments(now.source, rules)
        if after == now.source or not _same_program(now.source, after):
            return dataclasses.replace(
                result,
                output=result.source,
                status=Status.UNCHANGED,
                records=_for_a_person(result),
                changed_names=(),
            )
        now = migrate_apart(path, after, options)
        if not _open(now):
            break
    return dataclasses.replace(
        now, source=result.source, output=now.source, status=Status.CHANGED, changed_names=()
    )


def _open(result: Result) -> list[Record]:
    return [one for one in result.records if one.outcome in _OPEN]


def _for_a_person(result: Result) -> tuple[Record, ...]:
    message = "no comment can be written here"
    advice = "Suppress it by hand, or exclude the file."
    return tuple(
        left(one, message, advice) if one.outcome in _OPEN else one for one in result.records
    )


def _with_comments(source: bytes, rules: dict[int, set[str]]) -> bytes:
    lines = source.split(b"\n")
    try:
        ends, starts = _rows(text_of(source))
    except (tokenize.TokenError, SyntaxError):
        return source
    # From the end on, because a comment on a line of its own moves those below.
    for row in sorted(rules, reverse=True):
        place = row if row in ends else starts.get(row, row)
        line = lines[place - 1]
        newline = b"\r" if line.endswith(b"\r") else b""
        ours = _OURS.search(line) if row in ends else None
        ids = set(rules[row])
        if ours is not None:
            ids.update(one.strip() for one in ours[1].decode("ascii", "replace").split(","))
        comment = f"# compat-lossscale: ignore[{', '.join(sorted(ids))}]".encode() + newline
        if ours is not None:
            lines[place - 1] = line[: line.rindex(b"#")] + comment
        elif row in ends:
            lines[place - 1] = line.rstrip() + b"  " + comment
        else:
            indentation = line[: len(line) - len(line.lstrip())]
            lines.insert(place - 1, indentation + comment)
    return b"\n".join(lines)


def _rows(text: str) -> tuple[set[int], dict[int, int]]:
    """Returns the rows that a comment can end, and for each row the first one of its statement."""
    ends: set[int] = set()
    starts: dict[int, int] = {}
    first: int | None = None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.NEWLINE, tokenize.NL):
            ends.add(token.start[0])
        if first is None and token.type not in _LAYOUT:
            first = token.start[0]
        if token.type == tokenize.NEWLINE and first is not None:
            starts.update(dict.fromkeys(range(first, token.start[0] + 1), first))
            first = None
    return ends, starts


def _same_program(before: bytes, after: bytes) -> bool:
    try:
        return ast.dump(ast.parse(before)) == ast.dump(ast.parse(after))
    except (SyntaxError, ValueError, RecursionError):
        return False


_BOMS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LINE = re.compile(r"\bline (\d+)\b")
_INDISTINCT = "The cells could not be distinguished after the change."


def migrate_notebook(
    source: bytes, options: Options, project: ProjectFiles | None = None
) -> Result:
    """Migrates the code cells of a notebook; records have the cell, and the line within it."""
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
