# SPDX-License-Identifier: Apache-2.0
"""What a changed file must pass before it may be written.

It compiles; every name the change introduced is bound, and nothing imported is left unused; every
old name that was to be left still means what it meant; and every rewritten constructor means what
the old one meant.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import itertools
import warnings
from typing import TYPE_CHECKING, Any

import libcst as cst

from compat_lossscale.errors import LossScaleArgumentError
from compat_lossscale.spec import LossScaleSpec
from lossscale_codemods.domain import loss_scale_values
from lossscale_codemods.rewriting.import_edits import unused_imports
from lossscale_codemods.rules.loss_scale_arguments import SOURCES
from lossscale_codemods.source.edits import apply_edits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lossscale_codemods.domain import Program
    from lossscale_codemods.rewriting.resolution import Outcomes
    from lossscale_codemods.rules.base import MeaningClaim

STAND_INS: tuple[object, ...] = (
    "dynamic",
    128,
    2.0**10,
    0.5,
    True,
    loss_scale_values.FixedLossScale(64.0),
    loss_scale_values.DynamicLossScale(2.0**12, 100),
    loss_scale_values.DynamicLossScale(),
    False,
    0,
)
"""One of every kind of value that the old API took, and what a condition can be."""
_MOST_ATOMS = 4
_OF_NO_SCALE = frozenset({"inner_optimizer", "optimizer", "opt", "count_skipped_steps"})
"""Arguments of the new constructor that say nothing of its loss scale."""
_CALL_ERRORS = (LossScaleArgumentError, TypeError, ValueError, AttributeError)
_IMPLICIT = frozenset(dir(builtins)) | {"__file__", "__path__", "__class__", "WindowsError"}


def check(original: Program, result: Program, outcomes: Outcomes) -> str | None:
    """Proves a changed file.

    Args:
        original: The file as it was.
        result: The file as it is to be.
        outcomes: What was done to it.

    Returns:
        Why the change may not be written; nothing if every proof succeeds.
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
    """Compares the old loss scale argument with a new call, for every value it could have.

    Args:
        claim: The old argument.
        new: Source of the new call.

    Returns:
        A value for which the two differ, in words; nothing if there is none.
    """
    try:
        old_node, new_node = (
            loss_scale_values.parse_expression(claim.old),
            loss_scale_values.parse_expression(new),
        )
        variables = {
            name: [loss_scale_values.parse_expression(source) for source in sources]
            for name, sources in claim.definitions.items()
        }
    except SyntaxError as error:
        return f"it cannot be read ({error})."
    calls = {
        loss_scale_values.atom_key(
            loss_scale_values.parse_expression(source)
        ): loss_scale_values.LOSS_SCALE_CLASSES[name]
        for source, name in claim.classes.items()
    }
    for node in ast.walk(new_node):
        # A condition keeps its loss scale objects, under the names of today.
        name = loss_scale_values.atom_key(node.func) if isinstance(node, ast.Call) else ""
        made = loss_scale_values.LOSS_SCALE_CLASSES.get(name.rpartition(".")[2])
        if made is not None:
            calls.setdefault(name, made)
    functions: dict[str, Any] = {}
    for source in SOURCES.values():
        exec(source, functions)
    helpers = {name: functions[name] for name in SOURCES}
    agreed = 0
    for atoms in _assignments(old_node, variables, calls):
        old = _evaluate_old(old_node, loss_scale_values.Evaluator(atoms, calls))
        if old is None:
            continue
        evaluator = loss_scale_values.Evaluator(atoms, {**calls, **helpers})
        spec: LossScaleSpec | Exception
        try:
            spec = _evaluate_new(new_node, evaluator)
        except (loss_scale_values.UnknownAtomError, ArithmeticError, *_CALL_ERRORS) as error:
            spec = error
        if spec != old:
            return f"for {atoms} it was {old} and would be {spec}."
        agreed += 1
    return None if agreed else "no value is known for which the old call worked."


def _evaluate_old(node: ast.expr, evaluator: loss_scale_values.Evaluator) -> LossScaleSpec | None:
    try:
        return LossScaleSpec.from_argument(evaluator.value(node))
    except (ArithmeticError, *_CALL_ERRORS):
        return None  # The old call failed here too.


def _evaluate_new(node: ast.expr, evaluator: loss_scale_values.Evaluator) -> LossScaleSpec:
    if not isinstance(node, ast.Call):
        raise loss_scale_values.UnknownAtomError(loss_scale_values.atom_key(node))
    kept = [k for k in node.keywords if k.arg not in _OF_NO_SCALE]
    keywords = evaluator.keywords(ast.Call(node.func, [], kept))
    return LossScaleSpec.from_constructor(**keywords)


def _assignments(
    old: ast.expr,
    variables: Mapping[str, list[ast.expr]],
    calls: Mapping[str, Any],
) -> Iterator[dict[str, object]]:
    """Yields values for the unknown parts, over every kind of value and every definition."""
    names = sorted(variables)
    for chosen in itertools.product(*(variables[name] for name in names)):
        sources = dict(zip(names, chosen, strict=True))
        atoms = _atoms([old, *chosen], calls, set(names))
        if len(atoms) > _MOST_ATOMS:
            # All alike, then each alone: the kinds matter, not their combinations.
            values = [dict.fromkeys(atoms, v) for v in STAND_INS]
            values += [{**dict.fromkeys(atoms, 128), atom: v} for atom in atoms for v in STAND_INS]
        else:
            values = [
                dict(zip(atoms, combination, strict=True))
                for combination in itertools.product(STAND_INS, repeat=len(atoms))
            ]
        for value in values:
            known = dict(value)
            circular = _define(known, sources, calls)
            if circular is None:
                continue
            for kinds in itertools.product(STAND_INS, repeat=len(circular)):
                before = {**known, **dict(zip(circular, kinds, strict=True))}
                evaluator = loss_scale_values.Evaluator(before, calls)
                try:
                    after = {one: evaluator.value(sources[one]) for one in circular}
                except (ArithmeticError, *_CALL_ERRORS):
                    continue
                yield {**before, **after}


def _define(
    known: dict[str, object], sources: Mapping[str, ast.expr], calls: Mapping[str, Any]
) -> list[str] | None:
    """Adds the variables' values, in whatever order they depend on each other.

    Returns:
        The variables that depend on themselves, as in `scale = float(scale)`; nothing if there is
        no such value.
    """
    waiting = dict(sources)
    while waiting:
        done = []
        for name, node in waiting.items():
            try:
                known[name] = loss_scale_values.Evaluator(known, calls).value(node)
            except loss_scale_values.UnknownAtomError:
                continue
            except (ArithmeticError, TypeError, ValueError, AttributeError):
                return None
            done.append(name)
        if not done:
            break
        for name in done:
            del waiting[name]
    return list(waiting)


def _atoms(nodes: list[ast.expr], calls: Mapping[str, Any], variables: set[str]) -> list[str]:
    """Returns the parts whose values are not known, the outermost ones."""
    atoms: dict[str, None] = {}
    for node in nodes:
        while True:
            known = {**dict.fromkeys(atoms, 1.0), **dict.fromkeys(variables, 1.0)}
            try:
                _probe(node, known, calls)
            except loss_scale_values.UnknownAtomError as error:
                atoms[str(error)] = None
                continue
            break
    return list(atoms)


def _probe(node: ast.expr, known: Mapping[str, object], calls: Mapping[str, Any]) -> None:
    """Raises for the first unknown part, on whichever side of a condition it stands."""
    if loss_scale_values.atom_key(node) in known:
        return
    if isinstance(node, ast.IfExp):
        for part in (node.test, node.body, node.orelse):
            _probe(part, known, calls)
        return
    if isinstance(node, ast.BoolOp):
        for part in node.values:
            _probe(part, known, calls)
        return
    with contextlib.suppress(ArithmeticError, TypeError, ValueError, AttributeError):
        loss_scale_values.Evaluator(known, calls).value(node)
