# SPDX-License-Identifier: Apache-2.0
"""One file: bytes in, bytes out, and a record for each old name in it.

Nothing here reads or writes files, and nothing is written that did not pass the proofs.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import itertools
import re
import warnings
from collections.abc import Callable, Iterator, Sequence

import libcst as cst

from lossscale_codemods.domain import (
    Occurrence,
    Program,
    ProjectFiles,
    Role,
    is_part_of_old,
    uses_old_api,
)
from lossscale_codemods.rewriting import proofs
from lossscale_codemods.rewriting.import_edits import without_unused
from lossscale_codemods.rewriting.resolution import Decisions, Outcomes, record_of
from lossscale_codemods.rules.base import FirstChange, Rule
from lossscale_codemods.rules.registry import rules_for
from lossscale_codemods.source import reading
from lossscale_codemods.source.edits import OverlappingEditsError, PositionMap, apply_edits
from lossscale_codemods.source.layout import laid_out
from lossscale_codemods.source.reading import text_of, undecodable
from lossscale_codemods.source.syntax_tree import Tree, tree_of
from lossscale_codemods.tables.options import Options
from lossscale_codemods.tables.records import Edit, Outcome, Record, Result, Status
from lossscale_codemods.tables.suppression import Suppressions

_MOST_PASSES = 4
"""How often a change can make another one possible."""
_MOST_FIRST_CHANGES = 100


def migrate_fully(source: bytes, options: Options, project: ProjectFiles | None = None) -> Result:
    """Migrates the source of one Python file, whatever is in it."""
    try:
        with warnings.catch_warnings():
            # Of escapes that Python does not know, for one; who runs the file sees them.
            warnings.simplefilter("ignore")
            result = _migrate(source, options, project)
            if result.status is Status.REFUSED and (options.unsafe_fixes or options.observed_here):
                # What is not proven may have been in the way of what is.
                proven = dataclasses.replace(options, unsafe_fixes=False, observed_here={})
                result = _migrate(source, proven, project)
                records = (dataclasses.replace(one, unsafe=False) for one in result.records)
                result = dataclasses.replace(result, records=tuple(records))
            return result
    except RecursionError:
        return Result(source, source, Status.UNREADABLE, problem=reading.TOO_RECURSIVE)


def _migrate(given: bytes, options: Options, project: ProjectFiles | None) -> Result:
    problem = reading.problem_of(given)
    if problem is not None:
        return Result(given, given, Status.UNREADABLE, problem=problem)
    name = "" if project is None else str(project.path)
    try:
        tree = tree_of(given, name)
    except (cst.ParserSyntaxError, SyntaxError, UnicodeError, LookupError) as error:
        return Result(given, given, Status.UNREADABLE, problem=_parse_problem(given, error))
    runs_with_old = True if options.runs_with else None
    return _attempt(Program(tree, options, project, given, runs_with_old=runs_with_old), options)


def _attempt(program: Program, options: Options) -> Result:
    """Migrates a parsed file.

    What one pass makes of it can be what another pass changes: `compile("adam")` becomes a call
    that shows what `model.optimizer` is. So passes follow until one changes nothing.
    """
    tree = program.tree
    result = Result(program.source, program.source, Status.UNCHANGED)
    for _ in range(_MOST_FIRST_CHANGES):
        again, after = _first_pass(program, options)
        result = passes_joined(result, again)
        if after is None:
            break
        program = after
        program.line_at_first = _lines_at_first(result, tree)
    if result.status is Status.REFUSED:
        return result
    for number in range(_MOST_PASSES + 1):
        again, after = _pass(program, options)
        if after is not None or not number or again.status is Status.REFUSED:
            result = passes_joined(result, again)
        if after is None:
            return result
        program = after
        program.line_at_first = _lines_at_first(result, tree)
        options = dataclasses.replace(options, observed_here={})
    return result.refused(f"It changes again after {_MOST_PASSES} passes.")


def _first_pass(program: Program, options: Options) -> tuple[Result, Program | None]:
    """Makes one change that other rules are to see made, and returns what `_pass` does."""
    rule, change = next(_first_changes(program, options), (None, None))
    if rule is None or change is None:
        return Result(program.source, program.source, Status.UNCHANGED), None
    records = [
        record_of(one, program, rule.id, Outcome.REWRITTEN, change.message)
        for one in sorted(change.occurrences, key=lambda one: one.span)
    ]
    records[0] = dataclasses.replace(records[0], edits=tuple(change.edits))
    text = apply_edits(program.tree.text, change.edits)
    result, after = _proven(program, text, tuple(records), Outcomes())
    if after is not None:
        after.runs_with_old = is_part_of_old(program) or None
        after.reachability.take_over(program.reachability.features)
    return result, after


def _pass(program: Program, options: Options) -> tuple[Result, Program | None]:
    """Migrates a file once. Returns what becomes of it, and the file as it then is, if changed."""
    outcomes = Decisions(program, options).outcomes()
    mentions = [one for rule in rules_for(options.target) for one in rule.mentions(program)]
    records = tuple(sorted([*outcomes.records, *mentions], key=_start_of))
    try:
        text = laid_out(program.tree.text, outcomes.edits, options.line_length)
    except OverlappingEditsError as error:
        as_it_is = Result(program.source, program.source, Status.UNCHANGED, records)
        return as_it_is.refused(f"Two changes overlap at {str(error)!r}."), None
    return _proven(program, text, records, outcomes)


def _proven(
    program: Program, text: bytes, records: tuple[Record, ...], outcomes: Outcomes
) -> tuple[Result, Program | None]:
    """Returns a file with another text, if that passes the proofs.

    Args:
        program: The file.
        text: Its text as it is to be, in UTF-8.
        records: What is done to it.
        outcomes: The same, for the proofs.

    Returns:
        As `_pass` does.
    """
    given, parsed = program.source, program.tree.bytes
    uses_old = uses_old_api(program)
    as_it_is = Result(given, given, Status.UNCHANGED, records, uses_old_api=uses_old)
    if not records:
        return as_it_is, None
    if parsed != given:
        return as_it_is.refused(_round_trip_problem(given, parsed)), None
    try:
        after = text.decode("utf-8").encode(program.tree.module.encoding)
    except UnicodeEncodeError as error:
        return as_it_is.refused(f"The result cannot be written as {error.encoding}."), None
    if after == given:
        return as_it_is, None
    result = _in_another_form(program, tree_of(after), after)
    after, trimmed = without_unused(program, result)
    if after != result.source:
        result = _in_another_form(program, tree_of(after), after)
    problem = proofs.check(program, result, outcomes)
    if problem is not None:
        return as_it_is.refused(problem), None
    done = Result(
        given,
        after,
        Status.CHANGED,
        with_whole_change(records, program.tree.text, result.tree.text),
        changed_names=tuple(sorted(outcomes.changed_names | trimmed)),
        uses_old_api=uses_old,
        changes_optimizers=outcomes.changes_optimizers,
    )
    return done, result


def _in_another_form(program: Program, tree: Tree, source: bytes | None = None) -> Program:
    """Returns a file as it is after a change of its text."""
    project, is_old = program.resolver.project, is_part_of_old(program)
    return Program(tree, program.options, project, source, runs_with_old=is_old)


def _round_trip_problem(source: bytes, parsed: bytes) -> str:
    same = next(
        (i for i, (a, b) in enumerate(zip(source, parsed, strict=False)) if a != b), len(parsed)
    )
    line = source.count(b"\n", 0, same) + 1
    return (
        f"The parser does not keep white space near line {line}, such as a form feed (^L) or a "
        "carriage return that stands alone, so that nothing in this file can be changed without "
        "changing that too. Take it out, then run again."
    )


def _parse_problem(source: bytes, error: Exception) -> str:
    """Says why the parser does not read what Python itself reads."""
    if isinstance(error, cst.ParserSyntaxError):
        place = f"line {error.raw_line}, column {error.raw_column + 1}"
        return f"It does not parse: {place}. Write that in another way, then run again."
    return undecodable(source, error)


def passes_joined(first: Result, second: Result) -> Result:
    """Returns what becomes of a file by two passes.

    What the second found where the first had found something is what is known of that place.
    """
    if not first.records:
        return second
    before, between, after = (
        tree_of(source) for source in (first.source, first.output, second.output)
    )
    positions = _positions(first)
    later = [positions.of_record(record, between, before) for record in second.records]
    places = {_start_of(record)[:2] for record in later}
    kept = [
        record
        for record in first.records
        if record.outcome is Outcome.REWRITTEN or _start_of(record)[:2] not in places
    ]
    joined = dataclasses.replace(
        first,
        output=second.output,
        records=with_whole_change(sorted([*kept, *later], key=_start_of), before.text, after.text),
        changed_names=tuple(sorted({*first.changed_names, *second.changed_names})),
        uses_old_api=first.uses_old_api or second.uses_old_api,
        changes_optimizers=first.changes_optimizers or second.changes_optimizers,
    )
    return joined.refused(second.problem) if second.status is Status.REFUSED else joined


def _positions(result: Result) -> PositionMap:
    """Returns where what is in a changed file was before."""
    positions = PositionMap()
    positions.add([edit for record in result.records for edit in record.edits])
    return positions


def _lines_at_first(result: Result, tree: Tree) -> Callable[[int], int]:
    """Returns what tells of an offset in a changed file its line before the change."""
    positions = _positions(result)
    return lambda offset: tree.position(positions.of(offset))[0]


def _start_of(record: Record) -> tuple[int, int, str]:
    return record.line, record.column, record.rule


def with_whole_change(records: Sequence[Record], before: bytes, after: bytes) -> tuple[Record, ...]:
    """Returns the records with edits that add up to the whole change of a file.

    Args:
        records: The file's records; where their edits do not fit its change, they get others.
        before: The file's text in UTF-8.
        after: The same, changed.
    """
    if _applied(before, [edit for record in records for edit in record.edits]) == after:
        return tuple(records)
    parts: dict[int, list[Edit]] = {
        index: [] for index, record in enumerate(records) if record.outcome is Outcome.REWRITTEN
    }
    for hunk in _hunks(before, after) if parts else ():
        inside = (
            index
            for index in parts
            if any(e.start <= hunk.end and hunk.start <= e.end for e in records[index].edits)
        )
        parts[next(inside, next(iter(parts)))].append(hunk)
    return tuple(
        dataclasses.replace(record, edits=tuple(parts.get(index, ())))
        for index, record in enumerate(records)
    )


def _applied(text: bytes, edits: Sequence[Edit]) -> bytes | None:
    try:
        return apply_edits(text, edits)
    except OverlappingEditsError:
        return None


_WORD = re.compile(rb"[\w\x80-\xff]+|.", re.DOTALL)


def _hunks(before: bytes, after: bytes) -> list[Edit]:
    """Returns what differs, word by word in lines that differ: other findings stand beside it."""
    lines = _differences(before.splitlines(keepends=True), after.splitlines(keepends=True))
    return [
        Edit(start + place, start + place + len(old), new.decode())
        for start, old_lines, new_lines in lines
        for place, old, new in _differences(_WORD.findall(old_lines), _WORD.findall(new_lines))
    ]


def _differences(old: list[bytes], new: list[bytes]) -> Iterator[tuple[int, bytes, bytes]]:
    starts = [0, *itertools.accumulate(map(len, old))]
    for tag, i, j, k, m in difflib.SequenceMatcher(None, old, new).get_opcodes():
        if tag == "replace" and j - i == m - k:  # In pairs: word by word, many lines take long.
            yield from zip(starts[i:j], old[i:j], new[k:m], strict=True)
        elif tag != "equal":
            yield starts[i], b"".join(old[i:j]), b"".join(new[k:m])


def _first_changes(program: Program, options: Options) -> Iterator[tuple[Rule, FirstChange]]:
    """Yields what is to change first in a file, and which rule says so."""
    rules = [one for one in rules_for(program.target) if options.selection.applies(one.id)]

    @functools.cache
    def occurrences() -> list[Occurrence]:
        by_rules = [one for rule in rules for one, _ in rule.find(program)]
        old = [one for one in by_rules if one.role is not Role.NEIGHBOUR]
        return [*program.references, *old, *program.imports]

    for rule in rules:
        for change in rule.first_changes(program, occurrences):
            suppressions = Suppressions(text_of(program.source))
            lines = {program.tree.position(one.span[0])[0] for one in change.occurrences}
            if lines and not suppressions.covers(rule.id, lines):
                yield rule, change
