# SPDX-License-Identifier: Apache-2.0
"""The scopes of a file, and for each name that is read the bindings that can reach it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import Binding, BindingKind, Scope
from lossscale_codemods.analysis.libcst_on_demand import cst

if TYPE_CHECKING:
    from lossscale_codemods.analysis.syntax_tree import Tree


class Scopes:
    """What `scope_analysis` finds, for one file.

    Args:
        tree: The file.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.module = Scope(tree.module, None)
        self.of_node: dict[cst.CSTNode, Scope] = {tree.module: self.module}
        self.reaching: dict[cst.CSTNode, frozenset[Binding]] = {}
        self.scope_of_read: dict[cst.CSTNode, Scope] = {}
        self.binding_at: dict[cst.CSTNode, list[Binding]] = {}
        self.rebound_elsewhere: set[tuple[Scope, str]] = set()
        """Variables that another scope assigns through `global` or `nonlocal`."""

    def note_uses(self) -> None:
        """Notes for each binding where it is read."""
        for node, bindings in self.reaching.items():
            for binding in self._with_narrowed(bindings):
                binding.uses.append(node)

    def _with_narrowed(self, bindings: frozenset[Binding]) -> frozenset[Binding]:
        """Adds, for each isinstance test, the bindings of the name that it tests."""
        widened = bindings
        for binding in bindings:
            if binding.kind is BindingKind.NARROWED:
                widened |= self.lookup(binding.name, binding.scope)
        return widened

    def lookup(self, name: str, scope: Scope) -> frozenset[Binding]:
        """Returns all bindings that `name` can have in `scope`, whatever the order."""
        owner = scope.owner(name)
        return frozenset(owner.bindings.get(name, ())) if owner else frozenset()

    def scope_of(self, node: cst.CSTNode) -> Scope:
        """Returns the scope that a node is in."""
        for above in self.tree.ancestors(node):
            if above in self.of_node:
                return self.of_node[above]
        return self.module

    def returned(self, function: cst.FunctionDef) -> list[cst.BaseExpression | None] | None:
        """Returns what a function returns; nothing if it is no plain function."""
        if function.asynchronous is not None:
            return None
        returned: list[cst.BaseExpression | None] = []
        inner = self.of_node[function]
        for node in self.tree.walk(function.body):
            if isinstance(node, cst.Yield):
                return None
            if isinstance(node, cst.Return) and self.scope_of(node) is inner:
                returned.append(node.value)
        return returned
