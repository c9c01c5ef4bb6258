# SPDX-License-Identifier: Apache-2.0
"""The optimizers that `compile` wraps in Keras 3: those of models of `mixed_float16`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.domain import (
    Compile,
    LossScaleType,
    LossScaleTypes,
    ObjectType,
    Occurrence,
    Role,
    kept_compiles,
    model_compiles,
    others_name,
)
from lossscale_codemods.rules.base import Review, Rewrite
from lossscale_codemods.source.syntax_tree import dotted
from lossscale_codemods.tables import names
from lossscale_codemods.tables.names import Meaning, Target, canonical, loss_scale_optimizers
from lossscale_codemods.tables.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lossscale_codemods.domain import Program
    from lossscale_codemods.rules.name_rendering import NameRenderer

HELPER = "_loss_scaled"
_SOURCE = '''
def {helper}(model, optimizer):
    """Returns an optimizer as `compile` wraps it: with loss scaling under mixed_float16."""
    if model.dtype_policy.name != "mixed_float16" or isinstance(
        optimizer, {wrapper}
    ):
        return optimizer
    optimizer = {get}(optimizer)
    return {wrapper}(optimizer, count_skipped_steps=True)
'''
_ROOTS = ("tensorflow.keras", "keras", "tensorflow.compat.v1.keras")
_FLOAT16 = "mixed_float16"
_SETTING = ("set_policy", "set_global_policy", "set_dtype_policy", "policy_scope")
_MAKING = ("Policy", "DTypePolicy")
_OLD = (Meaning.SET_POLICY, Meaning.POLICY, Meaning.POLICY_SCOPE)
_OF_MODELS = frozenset({"loss", "loss_weights", "metrics", "run_eagerly", "weighted_metrics"})
_WRAPPED = {ObjectType.WRAPPER, ObjectType.NOTHING}
_V1 = {ObjectType.V1, ObjectType.V1_WRAPPER}
_STOCK = (
    "Keras 3 wraps the optimizer here under mixed_float16, with a loss scale that has no floor and "
    "no cap, and `iterations` does not count steps that are skipped"
)
_WRAP = "Give it an optimizer that is wrapped in compat_lossscale.keras3's."


def wrapped_by_compile(program: Program) -> Iterator[tuple[cst.BaseExpression, Rewrite | Review]]:
    """Yields the calls of `compile` whose optimizer Keras 3 wraps, or may wrap.

    Args:
        program: The file.
    """
    policies = list(_calls_of_policies(program))
    may_be_float16 = _may_be_float16(policies, program)
    # Where a policy has a loss scale of its own, the finding there, or its rewrite, comes first.
    is_wrapping = may_be_float16 and not _has_own_scale(policies, program)
    for compiled in model_compiles(program):
        verdict = _of_compile(compiled, program, is_wrapping=is_wrapping)
        if verdict is not None:
            yield compiled.call.func, verdict
    for kept in kept_compiles(program) if may_be_float16 else ():
        yield kept, Review(f"`compile` is kept and called later. {_STOCK}", _WRAP)


def _of_compile(
    compiled: Compile, program: Program, *, is_wrapping: bool
) -> Rewrite | Review | None:
    """Says what becomes of the optimizer that `compile` gets, or does not get."""
    value = compiled.optimizer.value if compiled.optimizer is not None else None
    kinds = program.types.of(value) if value is not None else frozenset()
    if kinds & _V1:
        return Review(
            "Keras 3 compiles models with its own optimizers alone",
            "Give it one of tf.keras.optimizers, and wrap that for loss scaling.",
        )
    if not is_wrapping or (value is not None and kinds <= _WRAPPED):
        return None
    if isinstance(value, cst.Call) and dotted(value.func) == HELPER:
        return None  # An earlier run made it.
    wrapped = _wrapped(compiled, value, program)
    if not compiled.is_proven:
        given = {a.keyword.value for a in compiled.arguments if a.keyword is not None}
        is_told = ObjectType.KERAS in kinds or bool(given & _OF_MODELS)
        if not is_told and not isinstance(value, cst.SimpleString):
            return None
        return Review(
            f"{_STOCK}, if this compiles a model; it is not proven to be a Keras model",
            "If it is one, wrap the optimizer in compat_lossscale.keras3's.",
            unsafe_fix=wrapped,
        )
    if program.target is Target.KERAS3_ALONE:
        return Review(
            _STOCK, "Leave it, if the model trains as well; or do without --no-dependency."
        )
    return wrapped or Review(_STOCK, _WRAP)


def _wrapped(
    compiled: Compile, value: cst.BaseExpression | None, program: Program
) -> Rewrite | None:
    """Has a function wrap the optimizer, if the model's policy asks for that."""
    call = compiled.call
    model = call.func.value if isinstance(call.func, cst.Attribute) else None
    if compiled.arguments is not call.args:
        model = call.args[0].value  # Model.compile(model, ...)
    if program.target is Target.KERAS3_ALONE or model is None or dotted(model) is None:
        return None
    if value is None or compiled.is_unpacked:
        return None
    occurrence = Occurrence(call.func, program.tree.span(call.func), Role.LATER)
    before = f"({program.tree.source(model)}, "
    start, end = program.tree.full_span(value)

    def edits(renderer: NameRenderer) -> Sequence[Edit]:
        source = _SOURCE.format(
            helper=HELPER,
            wrapper=renderer.render_path(occurrence, *loss_scale_optimizers(program.target)),
            get=renderer.render_path(occurrence, *(f"{root}.optimizers.get" for root in _ROOTS)),
        )
        name = renderer.helper(HELPER, source, occurrence)
        return [Edit(start, start, f"{name}{before}"), Edit(end, end, ")")]

    return Rewrite("wrapped as `compile` wrapped it, if the model is of mixed_float16", edits)


def _calls_of_policies(program: Program) -> Iterator[cst.Call]:
    """Yields the calls that set and make policies."""
    for node in program.tree.parents:
        paths = program.resolver.paths(node.func) if isinstance(node, cst.Call) else ()
        if isinstance(node, cst.Call) and any(p is not None and _is_of_policies(p) for p in paths):
            yield node


def _is_of_policies(path: str) -> bool:
    old = names.lookup(path)
    if old is not None:
        return old.meaning in _OLD
    is_home = ".mixed_precision." in canonical(path) or path.startswith("keras.")
    return is_home and path.endswith((*_SETTING, *_MAKING))


def _may_be_float16(policies: Sequence[cst.Call], program: Program) -> bool:
    """Whether a model of this file can be one of `mixed_float16`."""
    for call in policies:
        first = call.args[0].value if call.args and not call.args[0].star else None
        if not isinstance(first, cst.SimpleString) and first not in policies:
            return True  # The name of a policy cannot be seen here.
    is_named = any(
        isinstance(node, cst.SimpleString) and node.evaluated_value == _FLOAT16
        for node in program.tree.parents
    )
    return is_named or others_name(program.types.project.modules, (*_SETTING, *_MAKING))


def _has_own_scale(policies: Sequence[cst.Call], program: Program) -> bool:
    """Whether a policy was made with a loss scale of its own, other than a dynamic one."""
    for call in policies:
        if not any(p is not None and names.lookup(p) for p in program.resolver.paths(call.func)):
            continue
        for index, argument in enumerate(call.args):
            name = argument.keyword.value if argument.keyword is not None else None
            is_second = name is None and not argument.star and index == 1
            if name == "loss_scale" or is_second:
                kinds = LossScaleTypes(program).types(argument.value)
                if not kinds <= {LossScaleType.DYNAMIC}:
                    return True
    return False
