# SPDX-License-Identifier: Apache-2.0
"""Which bindings can have reached each read in one expression, and what the expression binds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import (
    Binding,
    Environment,
    Scope,
    comprehensions,
    scoped,
)
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.narrowing import narrowings, reassigned_by
from lossscale_codemods.analysis.syntax_tree import children, dotted

if TYPE_CHECKING:
    from lossscale_codemods.analysis.scopes import Scopes


class ExpressionReads:
    """Fills in what reaches the reads of expressions.

    Args:
        scopes: The file's scopes.

    Attributes:
        pending: Functions and lambdas that were defined, with their scopes. Their bodies run later.
    """

    def __init__(self, scopes: Scopes) -> None:
        self.scopes = scopes
        self.tree = scopes.tree
        self.pending: list[tuple[cst.CSTNode, Scope]] = []

    def expression(self, node: cst.CSTNode, env: Environment, scope: Scope) -> None:  # noqa: PLR0912  # one branch for each kind of node
        """Notes what reaches each read in an expression, and binds what it binds."""
        if isinstance(node, cst.Name):
            self._read(node, env, scope)
        elif isinstance(node, cst.Attribute):
            name = dotted(node)
            if name is not None and name in env:
                self.scopes.reaching[node] = env[name]
            self.scopes.scope_of_read[node] = scope
            self.expression(node.value, env, scope)
        elif isinstance(node, cst.Arg):
            self.expression(node.value, env, scope)
        elif isinstance(node, cst.NamedExpr):
            self.expression(node.value, env, scope)
            self.assign(node.target, env, scope)
        elif isinstance(node, cst.Call):
            for child in children(node):
                self.expression(child, env, scope)
            env.update(reassigned_by(node, env, scope))
        elif isinstance(node, cst.Lambda):
            self.parameters(node.params, env, scope)
            self.pending.append((node, self.scopes.of_node[node]))
        elif isinstance(node, comprehensions()):
            self._comprehension(node, env)
        elif isinstance(node, cst.BooleanOperation):
            self.expression(node.left, env, scope)
            inner = dict(env)
            truth = isinstance(node.operator, cst.And)
            inner.update(narrowings(node.left, truth, scope))
            self.expression(node.right, inner, scope)
            self._add_inline(node.right, inner, env)
        elif isinstance(node, cst.IfExp):
            self.expression(node.test, env, scope)
            for branch, truth in ((node.body, True), (node.orelse, False)):
                inner = dict(env)
                inner.update(narrowings(node.test, truth, scope))
                self.expression(branch, inner, scope)
                self._add_inline(branch, inner, env)
        else:
            for child in children(node):
                self.expression(child, env, scope)

    def _comprehension(self, node: cst.CSTNode, env: Environment) -> None:
        inner_scope = self.scopes.of_node[node]
        inner = dict(env)
        loop: cst.CompFor | None = node.for_in  # type: ignore[attr-defined]  # the caller has asked for its kind
        while loop is not None:
            self.expression(loop.iter, inner, inner_scope)
            for binding in self.bindings_in(loop.target):
                self._forget(binding.name, inner)
                inner[binding.name] = frozenset([binding])
            for condition in loop.ifs:
                self.expression(condition.test, inner, inner_scope)
            loop = loop.inner_for_in
        for part in ("elt", "key", "value"):
            child = getattr(node, part, None)
            if child is not None:
                self.expression(child, inner, inner_scope)
                self._add_inline(child, inner, env)

    def _add_inline(self, node: cst.CSTNode, inner: Environment, env: Environment) -> None:
        """Adds what inline assignments bind in an expression that may not be evaluated."""
        for binding in self.bindings_in(node):
            if isinstance(self.tree.parent(binding.node), cst.NamedExpr):
                known = env.get(binding.name, frozenset())
                env[binding.name] = known | inner.get(binding.name, frozenset([binding]))

    def _read(self, node: cst.Name, env: Environment, scope: Scope) -> None:
        self.scopes.scope_of_read[node] = scope
        owner = scope.owner(node.value)
        if node.value in env and (owner, node.value) not in self.scopes.rebound_elsewhere:
            self.scopes.reaching[node] = env[node.value]
            return
        if owner is scope and owner.is_class and scope.parent is not None:
            owner = scope.parent.owner(node.value)
        shared = (owner, node.value) in self.scopes.rebound_elsewhere
        if owner is None or (owner is scope and not shared):
            self.scopes.reaching[node] = frozenset()
            return
        # An outer variable: this code can run after any of its bindings.
        self.scopes.reaching[node] = frozenset(owner.bindings[node.value])

    def parameters(self, node: cst.Parameters, env: Environment, scope: Scope) -> None:
        """Reads the annotations and defaults of parameters."""
        every = [*node.posonly_params, *node.params, *node.kwonly_params]
        every += [p for p in (node.star_arg, node.star_kwarg) if isinstance(p, cst.Param)]
        for parameter in every:
            if parameter.annotation is not None:
                self.expression(parameter.annotation.annotation, env, scope)
            if parameter.default is not None:
                self.expression(parameter.default, env, scope)

    def assign(self, target: cst.CSTNode, env: Environment, scope: Scope) -> None:
        """Gives a target its binding."""
        if isinstance(target, cst.Name):
            self.bind_at(target, env, scope)
        elif isinstance(target, cst.Attribute):
            self.expression(target.value, env, scope)
            self.bind_at(target, env, scope)
        elif isinstance(target, cst.Tuple | cst.List):
            for element in target.elements:
                self.assign(element.value, env, scope)
        elif isinstance(target, cst.StarredElement):
            self.assign(target.value, env, scope)
        else:
            self.expression(target, env, scope)

    def bind_at(self, node: cst.CSTNode, env: Environment, scope: Scope) -> None:
        """Gives the names that a node binds this binding and no other."""
        for binding in self.scopes.binding_at.get(node, ()):
            if binding.scope is scope or "." in binding.name:
                self._forget(binding.name, env)
                env[binding.name] = frozenset([binding])

    @staticmethod
    def _forget(name: str, env: Environment) -> None:
        """Drops what was known of the attributes of a name that gets a new value."""
        prefix = name + "."
        for key in [key for key in env if key.startswith(prefix)]:
            del env[key]

    def bindings_in(self, node: cst.CSTNode) -> list[Binding]:
        """Returns what a node binds, outside of the scopes in it."""
        bindings: list[Binding] = []
        stack = [node]
        while stack:
            current = stack.pop()
            bindings.extend(self.scopes.binding_at.get(current, ()))
            if not isinstance(current, scoped()):
                stack.extend(children(current))
        return bindings
