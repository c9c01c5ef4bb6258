# SPDX-License-Identifier: Apache-2.0
"""One file: bytes in, bytes out, and a record for each old name in it.

Nothing here reads or writes files, and nothing is written that did not pass the proofs.
"""

from __future__ import annotations

import dataclasses
import difflib
import warnings
from typing import TYPE_CHECKING, TypeAlias

import libcst as cst

from lossscale_codemods.domain import (
    COLLAPSE_ADVICE,
    Program,
    ProjectFiles,
    Role,
    guarded,
    is_part_of_old,
    uses_old_api,
)
from lossscale_codemods.rewriting import proofs
from lossscale_codemods.rewriting.import_edits import without_unused
from lossscale_codemods.rewriting.resolution import Decisions, record_of
from lossscale_codemods.rules.registry import rules_for
from lossscale_codemods.source import reading
from lossscale_codemods.source.edits import OverlappingEditsError, PositionMap, apply_edits
from lossscale_codemods.source.layout import laid_out
from lossscale_codemods.source.reading import text_of, undecodable
from lossscale_codemods.source.syntax_tree import Tree, tree_of
from lossscale_codemods.tables.options import Options
from lossscale_codemods.tables.records import Edit, Outcome, Record, Result, Status
from lossscale_codemods.tables.suppression import Suppressions

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from lossscale_codemods.rules.base import Removal, Rule
    from lossscale_codemods.tables.options import Observed


_MOST_PASSES = 4
"""How often a change can make another one possible."""
_MOST_REMOVALS = 100


def migrate_fully(source: bytes, options: Options, project: ProjectFiles | None = None) -> Result:
    """Migrates the source of one Python file, whatever is in it.

    Args:
        source: The file's bytes.
        options: What to do with it.
        project: The project that it is in, if it is in one.
    """
    try:
        with warnings.catch_warnings():
            # Of escapes that Python does not know, for one; who runs the file sees them.
            warnings.simplefilter("ignore")
            proven = dataclasses.replace(options, unsafe_fixes=False, observed_here={})
            safe = _migrate(source, proven, project)
            if options.observed_here:
                observing = dataclasses.replace(options, unsafe_fixes=False)
                observed = _migrate(source, observing, project)
                safe = with_observed(safe, observed, options.observed_here)
            if not safe.unsafe_fixes:
                return safe
            unsafe = _migrate(source, dataclasses.replace(options, unsafe_fixes=True), project)
            return with_unsafe_fixes(safe, unsafe, wanted=options.unsafe_fixes)
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
    result = _attempt(given, tree, options, project)
    tried = result
    if any(record.advice == COLLAPSE_ADVICE for record in result.records):
        # Only what `--collapse-guards` collapses is called collapsible.
        collapsing = dataclasses.replace(options, collapse_guards=True)
        tried = _attempt(given, tree, collapsing, project)
    elif not options.collapse_guards:
        return result
    if tried.status is not Status.REFUSED:
        return result
    keeping = dataclasses.replace(options, collapse_guards=False)
    return _attempt(given, tree, keeping, project, tried.problem)


def _attempt(
    given: bytes,
    tree: Tree,
    options: Options,
    project: ProjectFiles | None,
    collapse_problem: str = "",
) -> Result:
    """Migrates a parsed source in one of the ways in which it can be.

    What one pass makes of it can be what another pass changes: `compile("adam")` becomes a call
    that shows what `model.optimizer` is. So passes follow until one changes nothing.

    Args:
        given: The source.
        tree: What it was parsed to.
        options: What to do with it.
        project: The project that it is in, if it is in one.
        collapse_problem: Why its guards cannot be collapsed, if that was tried.
    """
    runs_with_old = True if options.runs_with else None
    program = Program(tree, options, project, given, runs_with_old=runs_with_old)
    program.collapse_problem = collapse_problem
    result, after = _pass(program, options)
    for _ in range(_MOST_PASSES):
        if after is None:
            return result
        again, after = _pass(after, dataclasses.replace(options, observed_here={}))
        if again.status is Status.REFUSED:
            return dataclasses.replace(result, output=given).refused(again.problem)
        if after is not None:
            result = passes_joined(result, again)
    return result.refused(f"It changes again after {_MOST_PASSES} passes.")


def _pass(original: Program, options: Options) -> tuple[Result, Program | None]:
    """Migrates a file once.

    Args:
        original: The file.
        options: What to do with it.

    Returns:
        What becomes of it, and the file as it then is, if it changes.
    """
    given = original.source
    collapsed = collapse(original) if options.collapse_guards else Collapsed(original)
    program = collapsed.program
    outcomes = Decisions(program, options).outcomes()
    uses_old = uses_old_api(original) or uses_old_api(program)
    mentions = [one for rule in rules_for(options.target) for one in rule.mentions(program)]
    recorded = [*outcomes.records, *mentions]
    if collapsed.records:
        recorded = [collapsed.positions.of_record(r, program.tree, original.tree) for r in recorded]
    records = tuple(
        sorted([*collapsed.records, *recorded], key=lambda r: (r.line, r.column, r.rule))
    )
    as_it_is = Result(given, given, Status.UNCHANGED, records, uses_old_api=uses_old)
    if not records:
        return as_it_is, None
    parsed = original.tree.bytes
    if parsed != given:
        return as_it_is.refused(_round_trip_problem(given, parsed)), None
    try:
        text = laid_out(program.tree.text, outcomes.edits, options.line_length)
        after = text.decode("utf-8").encode(program.tree.module.encoding)
    except OverlappingEditsError as error:
        return as_it_is.refused(f"Two changes overlap at {str(error)!r}."), None
    except UnicodeEncodeError as error:
        return as_it_is.refused(f"The result cannot be written as {error.encoding}."), None
    if after == given:
        return as_it_is, None
    result = _in_another_form(program, tree_of(after), after)
    after, trimmed = without_unused(original, result)
    if after != result.source:
        result = _in_another_form(program, tree_of(after), after)
    problem = proofs.check(original, program, result, outcomes)
    if problem is not None:
        return as_it_is.refused(problem), None
    changed = tuple(sorted(outcomes.changed_names | trimmed))
    records = with_whole_change(records, original.tree.text, result.tree.text)
    done = Result(
        given,
        after,
        Status.CHANGED,
        records,
        changed_names=changed,
        uses_old_api=uses_old,
        changes_optimizers=outcomes.changes_optimizers,
    )
    return done, result


def _in_another_form(program: Program, tree: Tree, source: bytes | None = None) -> Program:
    """Returns a file as it is after a change of its text.

    Args:
        program: The file.
        tree: What its new text was parsed to.
        source: The bytes that were parsed, if they are known.
    """
    project, is_old = program.resolver.project, is_part_of_old(program)
    return Program(tree, program.options, project, source, runs_with_old=is_old)


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


def _parse_problem(source: bytes, error: Exception) -> str:
    """Says why the parser does not read what Python itself reads."""
    if isinstance(error, cst.ParserSyntaxError):
        place = f"line {error.raw_line}, column {error.raw_column + 1}"
        return f"It does not parse: {place}. Write that in another way, then run again."
    return undecodable(source, error)


def passes_joined(first: Result, second: Result) -> Result:
    """Returns what becomes of a file by two passes.

    What the second found where the first had found something is what is known of that place.

    Args:
        first: What the first pass did.
        second: What the next one made of its output.
    """
    before, between, after = (
        tree_of(source) for source in (first.source, first.output, second.output)
    )
    positions = PositionMap()
    positions.add([edit for record in first.records for edit in record.edits])
    later = [positions.of_record(record, between, before) for record in second.records]
    places = {_start_of(record) for record in later}
    kept = [
        record
        for record in first.records
        if record.outcome is Outcome.REWRITTEN or _start_of(record) not in places
    ]
    records = sorted([*kept, *later], key=lambda r: (r.line, r.column, r.rule))
    return dataclasses.replace(
        second,
        source=first.source,
        records=with_whole_change(records, before.text, after.text),
        changed_names=tuple(sorted({*first.changed_names, *second.changed_names})),
        uses_old_api=first.uses_old_api,
        changes_optimizers=first.changes_optimizers or second.changes_optimizers,
    )


def _start_of(record: Record) -> tuple[int, int]:
    return record.line, record.column


_Place: TypeAlias = tuple[int, int, int, int]


def with_unsafe_fixes(safe: Result, unsafe: Result, *, wanted: bool) -> Result:
    """Returns one of two results of a file, in which is marked what unsafe fixes do.

    Args:
        safe: What becomes of the file without unsafe fixes.
        unsafe: What becomes of it with them; if that did not pass a proof, there are none.
        wanted: Whether they are to be made.
    """
    if unsafe.status is not Status.CHANGED:
        return _marked(safe, Outcome.NEEDS_REVIEW, ())
    if wanted:
        return _marked(unsafe, Outcome.REWRITTEN, _places(safe, Outcome.NEEDS_REVIEW))
    return _marked(safe, Outcome.NEEDS_REVIEW, _places(unsafe, Outcome.REWRITTEN))


def with_observed(safe: Result, observed: Result, lines: Observed) -> Result:
    """Returns the result with what a recorded run told, in which that is marked.

    Args:
        safe: What becomes of the file without it.
        observed: What becomes of the file with it; if that did not pass a proof, `safe` stays.
        lines: What was observed, by line.
    """
    if observed.status is not Status.CHANGED:
        return safe
    open_places = _places(safe, Outcome.NEEDS_REVIEW)
    records = tuple(
        dataclasses.replace(one, observed=_times(lines, one.line))
        if one.outcome is Outcome.REWRITTEN and _place(one) in open_places
        else one
        for one in observed.records
    )
    return dataclasses.replace(observed, records=records)


def _times(lines: Observed, line: int) -> int:
    return max((times for _, times in lines.get(line, {}).values()), default=0)


def _marked(result: Result, outcome: Outcome, places: Collection[_Place]) -> Result:
    """Marks the records of an outcome at these places, and no others."""
    records = tuple(
        dataclasses.replace(one, unsafe=one.outcome is outcome and _place(one) in places)
        for one in result.records
    )
    return dataclasses.replace(result, records=records)


def _places(result: Result, outcome: Outcome) -> set[_Place]:
    return {_place(one) for one in result.records if one.outcome is outcome}


def _place(record: Record) -> _Place:
    return record.line, record.column, record.end_line, record.end_column


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
        own = {index: [e for e in records[index].edits if _touch(e, hunk)] for index in parts}
        inside = [index for index, edits in own.items() if edits]
        edits = {edit for index in inside for edit in own[index]}
        within = all(hunk.start <= e.start and e.end <= hunk.end for e in edits)
        shifted = [Edit(e.start - hunk.start, e.end - hunk.start, e.text) for e in edits]
        if within and _applied(before[hunk.start : hunk.end], shifted) == hunk.text.encode():
            for index in inside:
                parts[index] += own[index]
        else:
            parts[next(iter(inside or parts))].append(hunk)
    return tuple(
        dataclasses.replace(record, edits=tuple(parts.get(index, ())))
        for index, record in enumerate(records)
    )


def _applied(text: bytes, edits: Sequence[Edit]) -> bytes | None:
    try:
        return apply_edits(text, edits)
    except OverlappingEditsError:
        return None


def _hunks(before: bytes, after: bytes) -> list[Edit]:
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    matcher = difflib.SequenceMatcher(None, old, new)
    return [
        Edit(starts[i], starts[j], b"".join(new[k:m]).decode())
        for tag, i, j, k, m in matcher.get_opcodes()
        if tag != "equal"
    ]


def _touch(edit: Edit, hunk: Edit) -> bool:
    return edit.start <= hunk.end and hunk.start <= edit.end


@dataclasses.dataclass
class Collapsed:
    """A file without what could be taken out.

    Attributes:
        program: What is left; the program as it was if there was nothing.
        records: One for each removal, as the file is.
        positions: Where what is left is in the file.
    """

    program: Program
    records: list[Record] = dataclasses.field(default_factory=list)
    positions: PositionMap = dataclasses.field(default_factory=PositionMap)


def collapse(original: Program) -> Collapsed:
    """Takes out what rules remove, until there is none left."""
    result = Collapsed(original)
    selection = original.selection
    rules = [rule for rule in rules_for(original.target) if selection.applies(rule.id)]
    for _ in range(_MOST_REMOVALS):
        program = result.program
        rule, removal = next(removals(program, rules), (None, None))
        if rule is None or removal is None:
            break
        result.records += [
            result.positions.of_record(record, program.tree, original.tree)
            for record in _removal_records(program, rule, removal)
        ]
        result.positions.add(removal.edits)
        text = apply_edits(program.tree.text, removal.edits)
        module = cst.parse_module(text.decode("utf-8"), program.tree.module.config_for_parsing)
        module = module.with_changes(encoding=program.tree.module.encoding)
        result.program = _in_another_form(original, Tree(module))
        result.program.runs_with_old = is_part_of_old(original) or None
        result.program.reachability.take_over(original.reachability.features)
        result.program.line_at_first = lambda offset: original.tree.position(
            result.positions.of(offset)
        )[0]
    if result.records:
        program = result.program
        left = guarded(program, [*program.references, *program.imports])
        program.reachability.is_without_old = not left
    return result


def removals(program: Program, rules: Sequence[Rule]) -> Iterator[tuple[Rule, Removal]]:
    """Yields what can be taken out of a file, and which of some rules says so."""
    suppressions = Suppressions(text_of(program.source))
    by_rules = [one for rule in rules for one, _ in rule.find(program)]
    old = [one for one in by_rules if one.role is not Role.NEIGHBOUR]
    occurrences = [*program.references, *old, *program.imports]
    for rule in rules:
        for removal in rule.removals(program, occurrences):
            lines = {program.tree.position(one.span[0])[0] for one in removal.gone}
            if not suppressions.covers(rule.id, lines):
                yield rule, removal


def _removal_records(program: Program, rule: Rule, removal: Removal) -> Iterator[Record]:
    """Yields a record for each old name that goes; the first has the edit."""
    edits = tuple(removal.edits)
    for occurrence in sorted(removal.gone, key=lambda one: one.span):
        record = record_of(occurrence, program, rule.id, Outcome.REWRITTEN, removal.message)
        yield dataclasses.replace(record, edits=edits)
        edits = ()
