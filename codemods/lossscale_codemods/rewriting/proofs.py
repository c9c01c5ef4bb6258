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
import dataclasses
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import libcst as cst

from compat_lossscale.errors import LossScaleArgumentError
from compat_lossscale.spec import LossScaleSpec
from lossscale_codemods.domain import (
    Evaluator,
    LossScaleType,
    Program,
    UnknownAtomError,
    constant_or_none,
    parse_expression,
)
from lossscale_codemods.rewriting.import_edits import unused_imports
from lossscale_codemods.rewriting.resolution import Outcomes
from lossscale_codemods.rules.base import MeaningClaim
from lossscale_codemods.rules.loss_scale_arguments import SOURCES
from lossscale_codemods.source.edits import apply_edits


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


def check(original: Program, result: Program, outcomes: Outcomes) -> str | None:
    """Says why a changed file may not be written; nothing if every proof succeeds."""
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
