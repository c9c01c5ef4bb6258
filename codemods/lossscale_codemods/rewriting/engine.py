# SPDX-License-Identifier: Apache-2.0
"""One file: bytes in, bytes out, and a record for each old name in it.

Nothing here reads or writes files, and nothing is written that did not pass the proofs.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.analysis import syntax_check
from lossscale_codemods.analysis.program import Program
from lossscale_codemods.editing.edits import OverlappingEditsError, apply_edits
from lossscale_codemods.prescan.byte_scan import text_of
from lossscale_codemods.prescan.file_scan import first_look
from lossscale_codemods.rewriting import fixes, import_edits, proofs, strings
from lossscale_codemods.rewriting.guard_collapsing import Collapsed, collapse
from lossscale_codemods.rewriting.offered_names import Exports
from lossscale_codemods.rewriting.recording import GUARDS
from lossscale_codemods.rewriting.verdict_resolution import Decisions
from lossscale_codemods.vocabulary.names import Target
from lossscale_codemods.vocabulary.options import Options
from lossscale_codemods.vocabulary.records import Result, Status
from lossscale_codemods.vocabulary.suppression import Selection, Suppressions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lossscale_codemods.analysis.name_resolution import RelativeImports


def migrate_source(
    source: bytes | str,
    *,
    target: Target | str = Target.TF_KERAS,
    select: tuple[str, ...] = (),
    ignore: tuple[str, ...] = (),
    collapse_guards: bool = False,
    relative: RelativeImports | None = None,
    used_elsewhere: Iterable[str] = (),
) -> Result:
    """Migrates the source of one Python file.

    It sees no other file, and takes the source for a program by itself.

    Args:
        source: The file's bytes, or its text.
        target: What to migrate to: `"tf-keras"` or `"compat"`.
        select: Ids, or beginnings of ids, of the rules to apply; empty for all.
        ignore: Ids, or beginnings of ids, of the rules not to apply.
        collapse_guards: Whether to take out branches that are only for old versions.
        relative: Turns the dotted path of an import from the same project into that of what it is
            outside of the project, if it is known.
        used_elsewhere: Names of the module that other files import or read, so that they stay what
            they are; with a dot before them, attributes of its classes.

    Returns:
        The new source and what became of each old name. It never raises for what is in the file.
    """
    users = dict.fromkeys(used_elsewhere, "another file")
    selection = Selection(tuple(select), tuple(ignore))
    options = Options(Target(target), selection, collapse_guards, exports=Exports(users=users))
    return migrate(source, options, relative)


def migrate(
    source: bytes | str, options: Options, relative: RelativeImports | None = None
) -> Result:
    """Does what `migrate_source` does, with the options in one value.

    Args:
        source: The file's bytes, or its text.
        options: What to do with it.
        relative: As for `migrate_source`.
    """
    given = source.encode("utf-8") if isinstance(source, str) else source
    seen = first_look(given, relative)
    return migrate_fully(given, options, relative) if seen is None else seen


def migrate_fully(
    source: bytes, options: Options, relative: RelativeImports | None = None
) -> Result:
    """Does what `migrate` does, to a file that is known to need a full look.

    Args:
        source: The file's bytes.
        options: What to do with it.
        relative: As for `migrate_source`.
    """
    try:
        with warnings.catch_warnings():
            # Of escapes that Python does not know, for one; who runs the file sees them.
            warnings.simplefilter("ignore")
            return _migrate(source, options, relative)
    except RecursionError:
        return Result(source, source, Status.UNREADABLE, problem=syntax_check.TOO_RECURSIVE)


def _migrate(given: bytes, options: Options, relative: RelativeImports | None) -> Result:
    problem = syntax_check.problem_of(given)
    if problem is not None:
        return Result(given, given, Status.UNREADABLE, problem=problem)
    try:
        module = cst.parse_module(given)
    except (cst.ParserSyntaxError, SyntaxError, UnicodeError, LookupError) as error:
        return Result(given, given, Status.UNREADABLE, problem=_parse_problem(error))
    original = Program(module, options.target, relative, given, options.exports)
    collapsed = Collapsed(original)
    if options.collapse_guards and options.selection.applies(GUARDS):
        collapsed = collapse(original, relative)
    program = collapsed.program
    suppressions = Suppressions(text_of(program.source))
    outcomes = Decisions(program, options.selection, suppressions).outcomes()
    found = [*outcomes.records, *strings.find(program, suppressions, options)]
    if collapsed.records:
        found = [collapsed.origins.of_record(r, program.tree, original.tree) for r in found]
    records = tuple(sorted([*collapsed.records, *found], key=lambda r: (r.line, r.column, r.rule)))
    if not records:
        return Result(given, given, Status.UNCHANGED)
    as_it_is = Result(given, given, Status.UNCHANGED, records)
    parsed = original.tree.bytes
    if parsed != given:
        return as_it_is.refused(_round_trip_problem(given, parsed))
    try:
        after = (
            apply_edits(program.tree.text, outcomes.edits).decode("utf-8").encode(module.encoding)
        )
    except OverlappingEditsError as error:
        return as_it_is.refused(f"Two changes overlap at {str(error)!r}.")
    except UnicodeEncodeError as error:
        return as_it_is.refused(f"The result cannot be written as {error.encoding}.")
    if after == given:
        return as_it_is
    result = Program(cst.parse_module(after), options.target, relative, after, options.exports)
    after, trimmed = import_edits.without_unused(original, result)
    if after != result.source:
        result = Program(cst.parse_module(after), options.target, relative, after, options.exports)
    problem = proofs.check(original, program, result, outcomes, options)
    if problem is not None:
        return as_it_is.refused(problem)
    changed = tuple(sorted(outcomes.changed_names | trimmed))
    records = fixes.complete(records, original.tree.text, result.tree.text)
    return Result(given, after, Status.CHANGED, records, changed_names=changed)


def _round_trip_problem(source: bytes, parsed: bytes) -> str:
    same = next(
        (i for i, (a, b) in enumerate(zip(source, parsed, strict=False)) if a != b), len(parsed)
    )
    line = source.count(b"\n", 0, same) + 1
    if b"\x0c" in source:
        cause = "a form feed (^L)"
    elif b"\r" in source.replace(b"\r\n", b""):
        cause = "a carriage return that stands alone"
    else:
        cause = "some white space"
    return (
        f"The parser does not keep {cause} near line {line}, so that nothing in this file can be "
        "changed without changing that too. Take it out, then run again."
    )


def _parse_problem(error: Exception) -> str:
    """Says why the parser does not read what Python itself reads."""
    if isinstance(error, cst.ParserSyntaxError):
        place = f"line {error.raw_line}, column {error.raw_column + 1}"
        return f"It does not parse: {place}. Write that in another way, then run again."
    return f"It cannot be decoded: {error}. Check its encoding line."
