# SPDX-License-Identifier: Apache-2.0
"""Whether something with a `loss_scale` can be a loss-scale optimizer of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.vocabulary import names
from lossscale_codemods.vocabulary.names import Meaning

if TYPE_CHECKING:
    from lossscale_codemods.analysis.name_resolution import Resolver

ATTRIBUTES = ("loss_scale", "_loss_scale")
"""What an optimizer's loss scale was reached by."""


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
