# SPDX-License-Identifier: Apache-2.0
"""Tests of whether a loss scale can be called: `scale() if callable(scale) else scale`.

It can in old versions, where it is an object. In new ones it is a tensor, or a number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.syntax_tree import dotted

if TYPE_CHECKING:
    from lossscale_codemods.analysis.bindings import Binding
    from lossscale_codemods.analysis.name_resolution import Resolver
    from lossscale_codemods.analysis.syntax_tree import Tree


def asks_whether_callable(tree: Tree, text: str, test: cst.CSTNode) -> bool:
    """Whether a condition asks whether an expression can be called.

    Args:
        tree: The file.
        text: The expression, as source.
        test: The condition.
    """
    return any(
        isinstance(one, cst.Call)
        and dotted(one.func) in {"callable", "hasattr"}
        and bool(one.args)
        and tree.source(one.args[0].value) == text
        for one in tree.walk(test)
    )


def is_called_in(tree: Tree, text: str, part: cst.CSTNode) -> bool:
    """Whether an expression is called in a part of a file.

    Args:
        tree: The file.
        text: The expression, as source.
        part: The part.
    """
    return any(
        isinstance(node, cst.Call) and tree.source(node.func) == text for node in tree.walk(part)
    )


def is_not_callable(resolver: Resolver, node: cst.CSTNode) -> bool:
    """Whether a name or attribute is read where a test has found that it cannot be called."""
    if not isinstance(node, cst.Name | cst.Attribute):
        return False
    below: cst.CSTNode = node
    for above in resolver.scopes.tree.ancestors(node):
        if isinstance(above, cst.If | cst.IfExp) and below is not above.test:
            is_callable = _found_by(resolver, above.test, node)
            if is_callable is not None and is_callable is not (below is above.body):
                return True
        below = above
    return False


def called_if_callable(resolver: Resolver, binding: Binding) -> frozenset[Binding]:
    """Returns what no longer can be called behind `if callable(scale): scale = scale()`.

    Args:
        resolver: Knows what the file's names stand for.
        binding: The second value of `scale`.
    """
    tree, call = resolver.scopes.tree, binding.value
    choice = next((a for a in tree.ancestors(binding.node) if isinstance(a, cst.If)), None)
    if choice is None or choice.orelse is not None or not isinstance(call, cst.Call):
        return frozenset()
    if not _found_by(resolver, choice.test, call.func):
        return frozenset()
    block = tree.parent(choice)
    before = resolver.bindings(call.func)
    return frozenset(b for b in before if tree.parent(tree.statement(b.node)) is block)


def _found_by(resolver: Resolver, test: cst.BaseExpression, node: cst.CSTNode) -> bool | None:
    """Returns how `callable(node)` came out where a condition is true, if that alone decides it."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        is_callable = _found_by(resolver, test.expression, node)
        return None if is_callable is None else not is_callable
    if not isinstance(test, cst.Call) or dotted(test.func) != "callable" or len(test.args) != 1:
        return None
    asked, source = test.args[0].value, resolver.scopes.tree.source
    is_same = source(asked) == source(node)
    return True if is_same and resolver.bindings(asked) == resolver.bindings(node) else None
