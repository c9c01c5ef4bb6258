# SPDX-License-Identifier: Apache-2.0
"""Policies whose loss scale decides nothing, because their program compiles no model.

Only `compile` took the loss scale of a policy: by itself, or where it loaded a compiled model. A
program that trains in loops of its own and compiles nothing means the same without it.
"""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.loss_scale_types import LossScaleType, LossScaleTypes
from lossscale_codemods.analysis.program_files import others_naming
from lossscale_codemods.analysis.program_words import words_in
from lossscale_codemods.analysis.syntax_check import parsed
from lossscale_codemods.vocabulary.names import Meaning

if TYPE_CHECKING:
    from lossscale_codemods.analysis.program import Program

_COMPILING = ("compile", "load_model", "clone_and_build_model")
_TRAINING = ("GradientTape", "apply_gradients", "minimize")
_SHOWING = ("get_config", "to_json", "to_yaml")
"""What shows the loss scale of the policy of a layer."""
_TELLING = frozenset({*_COMPILING, *_SHOWING})
_PLAIN_READS = frozenset({"name", "compute_dtype", "variable_dtype"})
_KNOWN = {LossScaleType.DYNAMIC, LossScaleType.NUMBER, LossScaleType.NOTHING}


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
        and _compiles_nothing(program)
    )


def _types(scale: cst.BaseExpression, program: Program) -> set[LossScaleType]:
    """Returns what a loss scale can be, as far as the file says."""
    plain = isinstance(scale, cst.Name | cst.SimpleString | cst.BaseNumber)
    return LossScaleTypes(program).types(scale) if plain else {LossScaleType.UNKNOWN}


def _is_only_set(policy: cst.Call, program: Program) -> bool:
    """Whether a policy is only set, given to layers, and asked for its name and types."""
    above = program.tree.parent(policy)
    if isinstance(above, cst.Arg):
        return _takes_policy(above, program)
    if not isinstance(above, cst.Assign) or not all(
        isinstance(target.target, cst.Name) for target in above.targets
    ):
        return False
    bindings = [
        binding
        for target in above.targets
        for binding in program.scopes.binding_at.get(target.target, ())
    ]
    return bool(bindings) and all(
        _is_plain(use, program) for binding in bindings for use in binding.uses
    )


def _is_plain(use: cst.CSTNode, program: Program) -> bool:
    above = program.tree.parent(use)
    if isinstance(above, cst.Attribute):
        return above.attr.value in _PLAIN_READS
    return isinstance(above, cst.Arg) and _takes_policy(above, program)


def _takes_policy(argument: cst.Arg, program: Program) -> bool:
    if argument.keyword is not None and argument.keyword.value == "dtype":
        return True
    call = program.tree.parent(argument)
    return any(
        occurrence.meaning in (Meaning.SET_POLICY, Meaning.POLICY_SCOPE)
        and program.call(occurrence) is call
        for occurrence in program.references
    )


def _compiles_nothing(program: Program) -> bool:
    """Whether a program trains models, and compiles none."""
    modules = program.types.project.modules
    telling = others_naming(modules, _TELLING)
    if telling is None or not all(
        map(_says_nothing, [program.source, *map(modules.source, telling)])
    ):
        return False
    words = words_in(program.source) or frozenset()
    return not words.isdisjoint(_TRAINING) or bool(others_naming(modules, _TRAINING))


@functools.lru_cache(maxsize=256)
def _says_nothing(source: bytes) -> bool:
    """Whether a file compiles no model, and asks for no config but that of a base class."""
    tree = parsed(source)
    if tree is None:
        return False
    return all(_named(node) not in _TELLING or _is_other(node) for node in ast.walk(tree))


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
