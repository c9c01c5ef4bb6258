# SPDX-License-Identifier: Apache-2.0
"""Policies whose loss scale decides nothing, because `compile` wraps no optimizer with it.

Only `compile` took the loss scale of a policy: by itself, or where it loaded a compiled model, and
not for an optimizer that was wrapped already. A program that trains in loops of its own and
compiles nothing else means the same without it.
"""

from __future__ import annotations

import ast
import functools
import math
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.constant_evaluation import constant
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.loss_scale_types import LossScaleType, LossScaleTypes
from lossscale_codemods.analysis.program_files import others_name, others_naming
from lossscale_codemods.analysis.program_words import words_in
from lossscale_codemods.analysis.syntax_check import parsed
from lossscale_codemods.rules.shared.literal_policies import asks_for_scale
from lossscale_codemods.rules.shared.policy_compiles import compiles_wrapped
from lossscale_codemods.vocabulary.names import Meaning

if TYPE_CHECKING:
    from lossscale_codemods.analysis.program import Program

_COMPILING = ("compile", "load_model", "clone_and_build_model")
_TRAINING = ("GradientTape", "apply_gradients", "minimize")
_SHOWING = ("get_config", "to_json", "to_yaml")
"""What shows the loss scale of the policy of a layer."""
_TELLING = frozenset({*_COMPILING, *_SHOWING})
_PLAIN_READS = frozenset({"name", "compute_dtype", "variable_dtype"})
_KNOWN = {
    LossScaleType.DYNAMIC,
    LossScaleType.NUMBER,
    LossScaleType.NOTHING,
    LossScaleType.OBJECT,
}


def decides_nothing(policy: cst.Call, scale: cst.BaseExpression, program: Program) -> bool:
    """Whether the loss scale of a policy is for nothing in its program.

    Args:
        policy: The call that makes the policy.
        scale: Its loss scale.
        program: The file.
    """
    return (
        _types(scale, program) <= _KNOWN
        and _is_only_set(policy, program)
        and compile_wraps_nothing(program)
        and _trains(program)
    )


def _types(scale: cst.BaseExpression, program: Program) -> set[LossScaleType]:
    """Returns what a loss scale can be, as far as the file says."""
    types = LossScaleTypes(program).types(scale)
    if types == {LossScaleType.OBJECT} or isinstance(scale, cst.Name):
        return types
    try:
        constant(program.tree.source(scale))
    except ValueError:
        return {LossScaleType.UNKNOWN}  # To take it out may take out more.
    return types


def _is_only_set(policy: cst.Call, program: Program) -> bool:
    """Whether a policy is only set, given to layers, and asked for its name and types."""
    above = program.tree.parent(policy)
    if isinstance(above, cst.Arg):
        return _takes_policy(above, program)
    if not isinstance(above, cst.Assign):
        return False
    uses: list[cst.CSTNode] = []
    for target in above.targets:
        bindings = program.scopes.binding_at.get(target.target, ())
        if not bindings:
            return False
        if isinstance(target.target, cst.Attribute):
            name = target.target.attr.value
            if others_name(program.types.project.modules, [name]):
                return False
            uses += program.reads_by_attribute.get(name, ())
        uses += [use for binding in bindings for use in binding.uses]
    return all(_is_plain(use, program) for use in uses)


def _is_plain(use: cst.CSTNode, program: Program) -> bool:
    above = program.tree.parent(use)
    if isinstance(above, cst.Attribute):
        return above.attr.value in _PLAIN_READS or _is_written_out(above, program)
    return isinstance(above, cst.Arg) and _takes_policy(above, program)


def _is_written_out(read: cst.Attribute, program: Program) -> bool:
    """Whether the read of a loss scale is respelled, so that the policy needs none for it."""
    if read.attr.value != "loss_scale":
        return False
    argument = program.tree.parent(read)
    call = program.tree.parent(argument) if isinstance(argument, cst.Arg) else None
    return asks_for_scale(read, program) is not None or (
        isinstance(call, cst.Call) and call.func in program.rewritten
    )


def _takes_policy(argument: cst.Arg, program: Program) -> bool:
    if argument.keyword is not None and argument.keyword.value == "dtype":
        return True
    call = program.tree.parent(argument)
    return any(
        occurrence.meaning in (Meaning.SET_POLICY, Meaning.POLICY_SCOPE)
        and program.call(occurrence) is call
        for occurrence in program.references
    )


def compile_wraps_nothing(program: Program) -> bool:
    """Whether a program compiles no model but with optimizers that are wrapped already."""
    telling = others_naming(program.types.project.modules, _TELLING)
    if telling is None:
        return False
    compiles = sum(compiles_wrapped(node, program) for node in program.tree.parents)
    others = map(program.types.project.modules.source, telling)
    return _count(program.source) <= compiles and not any(map(_count, others))


def _trains(program: Program) -> bool:
    """Whether a program trains models at all, so that not another one compiles them."""
    words = words_in(program.source) or frozenset()
    return not words.isdisjoint({*_TRAINING, "compile"}) or bool(
        others_naming(program.types.project.modules, _TRAINING)
    )


@functools.lru_cache(maxsize=256)
def _count(source: bytes) -> float:
    """Returns in how many places a file may compile a model, or ask for a config."""
    tree = parsed(source)
    if tree is None:
        return math.inf
    return sum(_named(node) in _TELLING and not _is_other(node) for node in ast.walk(tree))


def _named(node: ast.AST) -> object:
    """Returns the name or the string that a part of a program has."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.alias):
        return node.name.rpartition(".")[2]
    return node.value if isinstance(node, ast.Constant) else None


def _is_other(node: ast.AST) -> bool:
    """Whether an attribute is that of a base class, or the function of regular expressions."""
    if not isinstance(node, ast.Attribute):
        return False
    value = node.value
    if isinstance(value, ast.Name):
        return value.id == "re" and node.attr == "compile"
    return (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and value.func.id == "super"
        and node.attr == "get_config"
    )
