# SPDX-License-Identifier: Apache-2.0
"""Which bindings a name can have where it is read: scopes, and the flow of assignments in them.

libcst's own scope analysis does not follow assignments and costs more than the parser
(https://github.com/Instagram/LibCST/issues/1139), so this is a small forward analysis of our own:
one pass through each scope's statements that carries, for each name, the bindings that can have
reached this point. It errs on the side of too many bindings, never of too few.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.binding_collection import Collector
from lossscale_codemods.analysis.bindings import Binding, BindingKind, Scope
from lossscale_codemods.analysis.reaching_definitions import Flow

if TYPE_CHECKING:
    import libcst as cst

    from lossscale_codemods.analysis.syntax_tree import Tree


class Scopes:
    """The scopes of a file, and for each read of a name the bindings that can reach it."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.module = Scope(tree.module, None)
        self.of_node: dict[cst.CSTNode, Scope] = {tree.module: self.module}
        self.reaching: dict[cst.CSTNode, frozenset[Binding]] = {}
        self.scope_of_read: dict[cst.CSTNode, Scope] = {}
        self.binding_at: dict[cst.CSTNode, list[Binding]] = {}
        self.rebound_elsewhere: set[tuple[Scope, str]] = set()
        """Variables that another scope assigns through `global` or `nonlocal`."""
        Collector(self).collect()
        Flow(self).run()
        for node, bindings in self.reaching.items():
            for binding in self._with_narrowed(bindings):
                binding.uses.append(node)

    def _with_narrowed(self, bindings: frozenset[Binding]) -> frozenset[Binding]:
        """Adds, for each isinstance test, the bindings of the name that it tests."""
        found = bindings
        for binding in bindings:
            if binding.kind is BindingKind.NARROWED:
                found |= self.lookup(binding.name, binding.scope)
        return found

    def lookup(self, name: str, scope: Scope) -> frozenset[Binding]:
        """Returns all bindings that `name` can have in `scope`, whatever the order."""
        owner = scope.owner(name)
        return frozenset(owner.bindings.get(name, ())) if owner else frozenset()

    def scope_of(self, node: cst.CSTNode) -> Scope:
        """Returns the scope that a node stands in."""
        for above in self.tree.ancestors(node):
            if above in self.of_node:
                return self.of_node[above]
        return self.module
