# SPDX-License-Identifier: Apache-2.0
"""What a run does with one file: migrates it, or suppresses by comments what it finds there."""

from __future__ import annotations

import ast
import collections
import dataclasses
import functools
import io
import os
import re
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path

from lossscale_codemods.domain import ProjectFiles
from lossscale_codemods.project.byte_scan import can_hold_old_name
from lossscale_codemods.project.discovery import CONFIG_SUFFIXES
from lossscale_codemods.project.gitignore import IgnoreFile
from lossscale_codemods.rewriting.engine import migrate_fully
from lossscale_codemods.rules.texts import migrate_config
from lossscale_codemods.running.notebook import migrate_notebook
from lossscale_codemods.running.processes import Task, Workers
from lossscale_codemods.source.layout import LINE_LENGTH
from lossscale_codemods.source.reading import read, text_of
from lossscale_codemods.tables.names import Target
from lossscale_codemods.tables.options import Exports, Options
from lossscale_codemods.tables.records import Outcome, Record, Result, Status, left
from lossscale_codemods.tables.suppression import Selection

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

    Args:
        path: What it is called; notebooks are told by it.
        source: The source.
        options: What to do with it.

    Returns:
        What became of it; the source as it was if the worker came to an end over it.
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
    """Returns what becomes of a file if comments suppress what a migration finds in it.

    Args:
        path: The file.
        result: What a migration makes of it. Notebooks and files that were not understood stay.
        options: What the migration was asked to do.
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
