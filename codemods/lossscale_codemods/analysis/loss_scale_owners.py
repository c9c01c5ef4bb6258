# SPDX-License-Identifier: Apache-2.0
"""Whether something with a `loss_scale` can be a loss-scale optimizer of the program."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.approximate_names import last_word
from lossscale_codemods.analysis.bindings import BindingKind, class_of_self
from lossscale_codemods.analysis.call_results import PROPERTIES
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.modules import decorators
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.analysis.type_inference import ObjectType
from lossscale_codemods.vocabulary import frameworks, names
from lossscale_codemods.vocabulary.names import Meaning

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lossscale_codemods.analysis.call_results import ProjectAnswers
    from lossscale_codemods.analysis.modules import Definition, ProjectClass
    from lossscale_codemods.analysis.name_resolution import Resolver
    from lossscale_codemods.analysis.occurrences import Occurrence
    from lossscale_codemods.analysis.type_inference import TypeInference

ATTRIBUTES = ("loss_scale", "_loss_scale")
"""What an optimizer's loss scale was reached by."""
_PUBLIC = "loss_scale"
_SETTINGS = ("args", "cfg", "conf", "flags", "opts", "options", "param", "policy", "settings")
_MAKING = (Meaning.OPTIMIZER, Meaning.REWRITE)


def attribute_owner(node: cst.CSTNode, resolver: Resolver) -> cst.BaseExpression | None:
    """Returns `x` of `x.loss_scale` and of `getattr(x, "loss_scale")`.

    Args:
        node: The expression.
        resolver: Knows what its names stand for.
    """
    if isinstance(node, cst.Attribute) and node.attr.value in ATTRIBUTES:
        return node.value
    if (
        isinstance(node, cst.Call)
        and len(node.args) >= 2
        and dotted(node.func) == "getattr"
        and not resolver.bindings(node.func)
    ):
        name = node.args[1].value
        if isinstance(name, cst.SimpleString) and name.evaluated_value in ATTRIBUTES:
            return node.args[0].value
    return None


def scanned_owner(node: ast.expr) -> ast.expr | None:
    """Returns what `attribute_owner` does, for an expression of Python's own parser."""
    if isinstance(node, ast.Attribute) and node.attr in ATTRIBUTES:
        return node.value
    if isinstance(node, ast.Call) and len(node.args) > 1 and last_word(node.func) == "getattr":
        name = node.args[1]
        if isinstance(name, ast.Constant) and name.value in ATTRIBUTES:
            return node.args[0]
    return None


def has_optimizers(resolver: Resolver, references: Iterable[Occurrence]) -> bool:
    """Whether a file makes, tests for or annotates loss-scale optimizers.

    Args:
        resolver: Knows what its names stand for.
        references: The old names in it.
    """
    if any(occurrence.meaning in _MAKING for occurrence in references):
        return True
    scopes = resolver.scopes
    imported = (
        binding.path
        for bindings in scopes.binding_at.values()
        for binding in bindings
        if binding.kind is BindingKind.IMPORT and binding.path is not None
    )
    read = (
        path
        for node in scopes.scope_of_read
        if isinstance(node, cst.Attribute) and node.attr.value == names.NEW_OPTIMIZER_MEMBER
        for path in resolver.paths(node)
        if path is not None
    )
    return any(frameworks.is_new_optimizer(path) for path in (*imported, *read))


def can_be_optimizer(node: cst.BaseExpression, types: TypeInference) -> bool:
    """Whether an expression is not known to be something else than a loss-scale optimizer.

    Args:
        node: What a `loss_scale` is read from.
        types: Knows what it can be.
    """
    kinds = types.of(node)
    if kinds and not kinds & {ObjectType.UNKNOWN, ObjectType.WRAPPER}:
        return False
    resolver = types.resolver
    return not (_is_module(node, resolver) or _is_own(node, resolver) or types.is_policy(node))


def gives_loss_scale(read: cst.CSTNode, types: TypeInference) -> bool:
    """Whether an expression is proven to be the loss scale of a loss-scale optimizer.

    It is `x.loss_scale`, where x is such an optimizer, or has a property that reads `loss_scale` of
    one.

    Args:
        read: The expression.
        types: Knows what x can be.
    """
    owner = attribute_owner(read, types.resolver)
    if owner is None:
        return False
    if types.is_wrapper(owner):
        return True
    if not isinstance(read, cst.Attribute) or read.attr.value != _PUBLIC:
        return False
    values = [v for v in types.values(owner) if v.kind is not ObjectType.NOTHING]
    return bool(values) and all(
        value.instance_of is not None and _has_property_of_wrapper(value.instance_of, types)
        for value in values
    )


def _has_property_of_wrapper(owner: ProjectClass, types: TypeInference) -> bool:
    """Whether `loss_scale` of a class of the project is a property that reads an optimizer's."""
    members = types.project.members
    definitions = members.method(owner, _PUBLIC)
    if not definitions or members.assigned_elsewhere(_PUBLIC, owner) != []:
        return False
    return all(_reads_from_wrapper(definition, types.project) for definition in definitions)


def _reads_from_wrapper(definition: Definition, project: ProjectAnswers) -> bool:
    """Whether all that a property returns is `opt.loss_scale` of a loss-scale optimizer."""
    function, resolver = definition.binding.node, definition.resolver
    if not isinstance(function, cst.FunctionDef) or not decorators(function) & PROPERTIES:
        return False
    owners = [
        attribute_owner(value, resolver) if value is not None else None
        for value in resolver.scopes.returned(function) or [None]
    ]
    answers = project.file(resolver)
    return all(owner is not None and answers.is_wrapper(owner) for owner in owners)


def looks_like_settings(node: cst.CSTNode) -> bool:
    """Whether an expression is called as configurations are: `args`, `config`, `FLAGS`."""
    return is_word_for_settings((dotted(node) or "").rpartition(".")[2])


def is_word_for_settings(word: str) -> bool:
    """Whether a name is one that configurations have: `args`, `config`, `FLAGS`."""
    return any(one in word.lower() for one in _SETTINGS)


def class_with_old_base(node: cst.BaseExpression, resolver: Resolver) -> cst.ClassDef | None:
    """Returns the class whose `self` an expression is, if its base is the old optimizer."""
    scope = resolver.class_of(node)
    if scope is None or not isinstance(scope.node, cst.ClassDef):
        return None
    for base in scope.node.bases:
        for path in resolver.paths(base.value):
            old = names.lookup(path) if path is not None else None
            if old is not None and old.meaning is Meaning.OPTIMIZER:
                return scope.node
    return None


def _is_module(node: cst.BaseExpression, resolver: Resolver) -> bool:
    bindings = resolver.bindings(node)
    imported = [
        isinstance(resolver.scopes.tree.parent(b.node), cst.Import)
        for b in bindings
        if b.kind is BindingKind.IMPORT
    ]
    paths = resolver.paths(node)
    known = bool(paths) and all(p is not None and frameworks.is_framework(p) for p in paths)
    return known or (bool(imported) and all(imported) and len(imported) == len(bindings))


def _is_own(node: cst.BaseExpression, resolver: Resolver) -> bool:
    """Whether an expression is a `self` whose class has a loss scale of its own."""
    scope = resolver.scopes.scope_of_read.get(node)
    owner = class_of_self(node, scope) if scope is not None else None
    if owner is None:
        return False
    own = {**owner.attributes, **owner.bindings}
    return any(name in own for name in ATTRIBUTES)
