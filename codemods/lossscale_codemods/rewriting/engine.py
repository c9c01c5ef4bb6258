# SPDX-License-Identifier: Apache-2.0
"""One file: bytes in, bytes out, and a record for each old name in it.

Nothing here reads or writes files, and nothing is written that did not pass the proofs.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import dataclasses
import difflib
import functools
import itertools
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import libcst as cst

from compat_lossscale.errors import LossScaleArgumentError
from compat_lossscale.spec import LossScaleSpec
from lossscale_codemods.domain import (
    Evaluator,
    LossScaleType,
    Occurrence,
    Program,
    ProjectFiles,
    Role,
    UnknownAtomError,
    constant_or_none,
    is_part_of_old,
    parse_expression,
    uses_old_api,
)
from lossscale_codemods.rewriting.import_edits import unused_imports, without_unused
from lossscale_codemods.rewriting.resolution import Decisions, Outcomes, record_of
from lossscale_codemods.rules.base import FirstChange, MeaningClaim, Rule, rules_for
from lossscale_codemods.rules.loss_scale_arguments import SOURCES
from lossscale_codemods.source import reading
from lossscale_codemods.source.edits import OverlappingEditsError, PositionMap, apply_edits
from lossscale_codemods.source.layout import laid_out
from lossscale_codemods.source.reading import text_of, undecodable
from lossscale_codemods.source.syntax_tree import Tree, tree_of
from lossscale_codemods.tables.options import Options, Suppressions
from lossscale_codemods.tables.records import Edit, Outcome, Record, Result, Status

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
    as_it_is = Result(program.source, program.source, Status.UNCHANGED, records)
    if not records:
        return dataclasses.replace(as_it_is, uses_old_api=uses_old_api(program)), None
    try:
        text = laid_out(program.tree.text, outcomes.edits, options.line_length)
    except OverlappingEditsError as error:
        return as_it_is.refused(f"Two changes overlap at {str(error)!r}."), None
    return _proven(program, text, records, outcomes)


def _proven(
    program: Program, text: bytes, records: tuple[Record, ...], outcomes: Outcomes
) -> tuple[Result, Program | None]:
    """Returns what `_pass` does of a file that gets another text, if that passes the proofs."""
    given, parsed = program.source, program.tree.bytes
    uses_old = uses_old_api(program)
    as_it_is = Result(given, given, Status.UNCHANGED, records, uses_old_api=uses_old)
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
    problem = failed_proof(program, result, outcomes)
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
    """Returns a file's records with edits that add up to its whole change.

    Where their own edits do not fit it, they get others.
    """
    with contextlib.suppress(OverlappingEditsError):
        if apply_edits(before, [edit for record in records for edit in record.edits]) == after:
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


@dataclasses.dataclass
class FixedLossScale:
    """Stands in for TensorFlow's class of this name."""

    loss_scale_value: float

    get_config = dataclasses.asdict


@dataclasses.dataclass
class DynamicLossScale:
    """Stands in for TensorFlow's class of this name."""

    initial_loss_scale: float = 2**15
    increment_period: int = 2000
    multiplier: float = 2.0

    get_config = dataclasses.asdict


_CLASSES: dict[str, Callable[..., Any]] = {
    "FixedLossScale": FixedLossScale,
    "DynamicLossScale": DynamicLossScale,
}
_STAND_INS: dict[LossScaleType, tuple[object, ...]] = {
    LossScaleType.DYNAMIC: ("dynamic",),
    LossScaleType.NUMBER: (128, 2.0**10, 0.5, True),
    LossScaleType.OBJECT: (
        FixedLossScale(64.0),
        DynamicLossScale(2.0**12, 100),
        DynamicLossScale(),
    ),
}
"""Values of every kind that the old API took."""
_ARGUMENTS = (64, 100, 2)
"""Values for what a loss scale object is made with, each another one."""
_OF_NO_SCALE = frozenset({"inner_optimizer", "optimizer", "opt", "count_skipped_steps"})
"""Arguments of the new constructor that say nothing of its loss scale."""
_CALL_ERRORS = (LossScaleArgumentError, TypeError, ValueError, AttributeError)
_IMPLICIT = frozenset(dir(builtins)) | {"__file__", "__path__", "__class__", "WindowsError"}


def failed_proof(original: Program, result: Program, outcomes: Outcomes) -> str | None:
    """Says why a changed file may not be written; nothing if every proof succeeds.

    It compiles; every name the change introduced is bound, and nothing imported is left unused;
    every old name that was to be left still means what it meant; and every rewritten constructor
    means what the old one meant.
    """
    after = result.source
    problem = _compiles(original.source, after, notebook=original.options.notebook)
    if problem is not None:
        return problem
    if result.tree.bytes != after:
        return "The result does not round-trip through the parser."
    unbound = unbound_names(result) - unbound_names(original)
    if unbound:
        return f"The result would use names that nothing binds: {', '.join(sorted(unbound))}."
    unused = unused_imports(result) - unused_imports(original)
    if unused:
        return f"The result would import names that nothing uses: {', '.join(sorted(unused))}."
    remaining = len(result.references) + len(result.imports)
    if outcomes.left is not None and remaining != outcomes.left:
        return (
            f"{outcomes.left} old names were to be left as they are, but the result has "
            f"{remaining}, so that some would mean something else."
        )
    for call in outcomes.calls:
        start, end = call.span
        beside = (start, end)
        inside = [
            e
            for e in outcomes.edits
            if start <= e.start and e.end <= end and not (e.start == e.end and e.start in beside)
        ]
        new = original.tree.text[start:end]
        shifted = [type(e)(e.start - start, e.end - start, e.text) for e in inside]
        problem = same_meaning(call.claim, apply_edits(new, shifted).decode("utf-8"))
        if problem is not None:
            line = original.line_at_first(start)
            return f"The constructor on line {line} would not mean the same: {problem}"
    return None


def _compiles(before: bytes, after: bytes, *, notebook: bool) -> str | None:
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if notebook else 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(after, "<result>", "exec", flags, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            try:
                compile(before, "<source>", "exec", flags, dont_inherit=True)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return (
                    "This Python cannot compile the file as it is, so the change cannot be "
                    f"checked: {error}. Run with the Python that the file is written for."
                )
            return f"The result would not compile: {error}."
    return None


def unbound_names(program: Program) -> set[str]:
    """Returns the names that are read and that nothing in the file binds."""
    return {
        node.value
        for node, bindings in program.scopes.reaching.items()
        if isinstance(node, cst.Name) and not bindings and node.value not in _IMPLICIT
    }


def same_meaning(claim: MeaningClaim, new: str) -> str | None:
    """Returns, in words, a value for which the old loss scale argument and a new call differ."""
    try:
        old_node, new_node = parse_expression(claim.old), parse_expression(new)
    except SyntaxError as error:
        return f"it cannot be read ({error})."
    helpers: dict[str, Any] = {}
    for source in SOURCES.values():
        exec(source, helpers)
    agreed = 0
    for atoms, value in _values(old_node, new_node, claim):
        try:
            old = LossScaleSpec.from_argument(value)
        except (ArithmeticError, *_CALL_ERRORS):
            continue  # The old call failed here too.
        evaluator = Evaluator(atoms, {name: helpers[name] for name in SOURCES})
        spec: LossScaleSpec | Exception
        try:
            spec = _evaluate_new(new_node, evaluator)
        except (UnknownAtomError, ArithmeticError, *_CALL_ERRORS) as error:
            spec = error
        if spec != old:
            return f"for {atoms} it was {old} and would be {spec}."
        agreed += 1
    return None if agreed else "no value is known for which the old call worked."


def _values(
    old: ast.expr, new: ast.expr, claim: MeaningClaim
) -> Iterator[tuple[dict[str, object], object]]:
    """Yields what the old argument can be, with values for the unknown parts of the new call."""
    if claim.class_name and isinstance(old, ast.Call):
        given = [*old.args, *(keyword.value for keyword in old.keywords)]
        atoms: dict[str, object] = {
            ast.unparse(one): number
            for one, number in zip(given, _ARGUMENTS, strict=False)
            if constant_or_none(ast.unparse(one)) is None
        }
        function = ast.unparse(old.func)
        made = Evaluator(atoms, {function: _CLASSES[claim.class_name]})
        with contextlib.suppress(ArithmeticError, *_CALL_ERRORS):
            yield atoms, made.value(old)
        return
    known = constant_or_none(claim.old)
    if known is not None:
        yield {}, known
        return
    # What a helper gets is the old argument, in which names may be those of today.
    names = {ast.unparse(old)} | {
        ast.unparse(part.args[0])
        for part in ast.walk(new)
        if isinstance(part, ast.Call) and ast.unparse(part.func) in SOURCES
    }
    kinds = _STAND_INS.keys() if LossScaleType.UNKNOWN in claim.kinds else claim.kinds
    for kind in kinds:
        for value in _STAND_INS.get(kind, ()):
            yield dict.fromkeys(names, value), value


def _evaluate_new(node: ast.expr, evaluator: Evaluator) -> LossScaleSpec:
    if not isinstance(node, ast.Call):
        raise UnknownAtomError(ast.unparse(node))
    kept = [k for k in node.keywords if k.arg not in _OF_NO_SCALE]
    keywords = evaluator.keywords(ast.Call(node.func, [], kept))
    return LossScaleSpec.from_constructor(**keywords)
