# SPDX-License-Identifier: Apache-2.0
"""One file: bytes in, bytes out, and a record for each old name in it.

Nothing here reads or writes files, and nothing is written that did not pass the proofs.
"""

from __future__ import annotations

import dataclasses
import warnings
from typing import TYPE_CHECKING

from lossscale_codemods.analysis import syntax_check
from lossscale_codemods.analysis.decoding import text_of, undecodable
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.modules import ProjectFiles
from lossscale_codemods.analysis.old_programs import is_part_of_old, uses_old_api
from lossscale_codemods.analysis.program import Program
from lossscale_codemods.analysis.version_guards import COLLAPSE_ADVICE
from lossscale_codemods.editing.edits import OverlappingEditsError, apply_edits
from lossscale_codemods.editing.layout import laid_out
from lossscale_codemods.rewriting import proofs
from lossscale_codemods.rewriting.fixes import with_whole_change
from lossscale_codemods.rewriting.guard_collapsing import Collapsed, collapse
from lossscale_codemods.rewriting.import_edits import without_unused
from lossscale_codemods.rewriting.passes import passes_joined
from lossscale_codemods.rewriting.unsafe_fixes import with_observed, with_unsafe_fixes
from lossscale_codemods.rewriting.verdict_resolution import Decisions
from lossscale_codemods.rules.registry import rules_for
from lossscale_codemods.vocabulary.options import Options
from lossscale_codemods.vocabulary.records import Result, Status
from lossscale_codemods.vocabulary.suppression import Suppressions

if TYPE_CHECKING:
    from lossscale_codemods.analysis.name_resolution import RelativeImports

_MOST_PASSES = 4
"""How often a change can make another one possible."""


def migrate_fully(
    source: bytes, options: Options, relative: RelativeImports | None = None
) -> Result:
    """Migrates the source of one Python file, whatever is in it.

    Args:
        source: The file's bytes.
        options: What to do with it.
        relative: Turns the dotted path of an import from the same project into that of what it is
            outside of the project, if it is known.
    """
    try:
        with warnings.catch_warnings():
            # Of escapes that Python does not know, for one; who runs the file sees them.
            warnings.simplefilter("ignore")
            proven = dataclasses.replace(options, unsafe_fixes=False, observed_here={})
            safe = _migrate(source, proven, relative)
            if options.observed_here:
                observing = dataclasses.replace(options, unsafe_fixes=False)
                observed = _migrate(source, observing, relative)
                safe = with_observed(safe, observed, options.observed_here)
            if not safe.unsafe_fixes:
                return safe
            unsafe = _migrate(source, dataclasses.replace(options, unsafe_fixes=True), relative)
            return with_unsafe_fixes(safe, unsafe, wanted=options.unsafe_fixes)
    except RecursionError:
        return Result(source, source, Status.UNREADABLE, problem=syntax_check.TOO_RECURSIVE)


def _migrate(given: bytes, options: Options, relative: RelativeImports | None) -> Result:
    problem = syntax_check.problem_of(given)
    if problem is not None:
        return Result(given, given, Status.UNREADABLE, problem=problem)
    try:
        module = cst.parse_module(given)
    except (cst.ParserSyntaxError, SyntaxError, UnicodeError, LookupError) as error:
        return Result(given, given, Status.UNREADABLE, problem=_parse_problem(given, error))
    result = _attempt(given, module, options, relative)
    tried = result
    if any(record.advice == COLLAPSE_ADVICE for record in result.records):
        # Only what `--collapse-guards` collapses is called collapsible.
        collapsing = dataclasses.replace(options, collapse_guards=True)
        tried = _attempt(given, module, collapsing, relative)
    elif not options.collapse_guards:
        return result
    if tried.status is not Status.REFUSED:
        return result
    keeping = dataclasses.replace(options, collapse_guards=False)
    return _attempt(given, module, keeping, relative, tried.problem)


def _attempt(
    given: bytes,
    module: cst.Module,
    options: Options,
    relative: RelativeImports | None,
    collapse_problem: str = "",
) -> Result:
    """Migrates a parsed source in one of the ways in which it can be.

    What one pass makes of it can be what another pass changes: `compile("adam")` becomes a call
    that shows what `model.optimizer` is. So passes follow until one changes nothing.

    Args:
        given: The source.
        module: What it was parsed to.
        options: What to do with it.
        relative: As for `migrate_fully`.
        collapse_problem: Why its guards cannot be collapsed, if that was tried.
    """
    result, program = _pass(given, module, options, relative, collapse_problem)
    later = dataclasses.replace(options, observed_here={})
    for _ in range(_MOST_PASSES):
        if program is None or not _changes_again(program, later):
            return result
        again, program = _pass(
            result.output, program.tree.module, later, relative, collapse_problem, program
        )
        if again.status is Status.REFUSED:
            return dataclasses.replace(result, output=given).refused(again.problem)
        result = passes_joined(result, again)
    return result.refused(f"It changes again after {_MOST_PASSES} passes.")


def _changes_again(program: Program, options: Options) -> bool:
    """Whether another pass changes what a pass has made of a file.

    Args:
        program: The file as it is by then.
        options: What the run does.
    """
    suppressions = Suppressions(program.tree.code)
    outcomes = Decisions(
        program, options.selection, suppressions, unsafe_fixes=options.unsafe_fixes
    ).outcomes()
    return apply_edits(program.tree.text, outcomes.edits) != program.tree.text


def _pass(
    given: bytes,
    module: cst.Module,
    options: Options,
    relative: RelativeImports | None,
    collapse_problem: str,
    before: Program | None = None,
) -> tuple[Result, Program | None]:
    """Migrates a parsed source once.

    Args:
        given: The source.
        module: What it was parsed to.
        options: What to do with it.
        relative: As for `migrate_fully`.
        collapse_problem: As for `_attempt`.
        before: The source as the pass before left it, if there was one.

    Returns:
        What becomes of it, and the file as it then is, if it changes.
    """
    original = Program(
        module,
        options.target,
        relative,
        given,
        options.exports,
        legacy_optimizers=options.legacy_optimizers,
        runs_with_old=True if options.runs_with or before is not None else None,
        selection=options.selection,
    )
    original.collapse_problem = collapse_problem
    collapsed = Collapsed(original)
    if options.collapse_guards:
        selected = [
            rule for rule in rules_for(options.target) if options.selection.applies(rule.id)
        ]
        collapsed = collapse(original, selected, relative)
    program = collapsed.program
    suppressions = Suppressions(text_of(program.source))
    outcomes = Decisions(
        program,
        options.selection,
        suppressions,
        unsafe_fixes=options.unsafe_fixes,
        observed=options.observed_here,
    ).outcomes()
    uses_old = uses_old_api(original) or uses_old_api(program)
    if isinstance(relative, ProjectFiles) and relative.is_asking:
        return Result(given, given, Status.UNCHANGED, uses_old_api=uses_old), None
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
        after = text.decode("utf-8").encode(module.encoding)
    except OverlappingEditsError as error:
        return as_it_is.refused(f"Two changes overlap at {str(error)!r}."), None
    except UnicodeEncodeError as error:
        return as_it_is.refused(f"The result cannot be written as {error.encoding}."), None
    if after == given:
        return as_it_is, None
    result = _rewritten(after, program, options, relative)
    after, trimmed = without_unused(original, result)
    if after != result.source:
        result = _rewritten(after, program, options, relative)
    problem = proofs.check(original, program, result, outcomes, notebook=options.notebook)
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


def _rewritten(
    after: bytes, program: Program, options: Options, relative: RelativeImports | None
) -> Program:
    return Program(
        cst.parse_module(after),
        options.target,
        relative,
        after,
        options.exports,
        legacy_optimizers=options.legacy_optimizers,
        runs_with_old=is_part_of_old(program),
        selection=options.selection,
    )


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
