# SPDX-License-Identifier: Apache-2.0
"""Whether a name means the same object at a later place: nothing gives it another between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import Binding, Scope, class_of_self, comprehensions
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.syntax_tree import dotted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lossscale_codemods.analysis.name_resolution import Resolver

_HARMLESS = frozenset(
    {"print", "float", "int", "str", "repr", "len", "isinstance", "range", "zip", "enumerate"}
    | {"abs", "min", "max", "sum", "round", "bool", "list", "tuple", "dict", "getattr", "hasattr"}
    | {"callable"}
)
_HARMLESS_METHODS = frozenset(
    {"append", "format", "get_scaled_loss", "get_unscaled_gradients", "gradient", "join", "numpy"}
)


class SameObject:
    """Answers for the names of one file.

    Args:
        resolver: Knows what its names stand for.
    """

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver
        self.scopes = resolver.scopes
        self.tree = resolver.scopes.tree

    def spelled_at(
        self, owner: cst.BaseExpression, start: cst.CSTNode, kept: Binding, use: cst.CSTNode
    ) -> str | None:
        """Returns how a later place spells an object that another name belongs to.

        Args:
            owner: The object, where it and the other name come together: `opt`, `self.opt`.
            start: A node in the statement in which they do.
            kept: The other name.
            use: The place, at which the other name is read.

        Returns:
            The source of an expression; nothing if it could be another object there.
        """
        name = dotted(owner)
        if name is None:
            return None
        here, there = self._function_scope(start), self._function_scope(use)
        if here is there:
            return name if self._lasts_within(owner, name, start, use) else None
        if "." not in name:
            return name if self._lasts_for_inner(name, start, kept, there) else None
        return self._of_the_same_self(owner, start, kept, use)

    def _function_scope(self, node: cst.CSTNode) -> Scope:
        """Returns the scope of the function, class body or module that a node is in."""
        scope = self.scopes.scope_of(node)
        while isinstance(scope.node, comprehensions()) and scope.parent is not None:
            scope = scope.parent
        return scope

    def _lasts_within(
        self, owner: cst.CSTNode, name: str, start: cst.CSTNode, use: cst.CSTNode
    ) -> bool:
        """Whether a name keeps its object from one statement to a later place in its block."""
        between = self.statements_between(start, use)
        if between is None:
            return False
        root = name.partition(".")[0]
        scope = self.scopes.scope_of(start).owner(root)
        if scope is None or (scope, root) in self.scopes.rebound_elsewhere:
            return False
        parts = {".".join(name.split(".")[: end + 1]) for end in range(name.count(".") + 1)}
        first = self.tree.statement(start)
        bound = {
            binding.name
            for statement in [first, *between]
            for node in self.tree.walk(statement)
            for binding in self.scopes.binding_at.get(node, ())
            if node is not owner
        }
        if bound & parts or self.scopes.scope_of(use).owner(root) is not scope:
            return False
        return "." not in name or self._set_before(name, start)

    def _set_before(self, name: str, start: cst.CSTNode) -> bool:
        """Whether an attribute gets all its values in this function, and before a place."""
        scope = self._function_scope(start)
        position = self.tree.span(start)[0]
        return all(
            self._function_scope(node) is scope and self.tree.span(node)[0] <= position
            for node in self._targets(name.rpartition(".")[2])
        )

    def _targets(self, attribute: str) -> Iterator[cst.Attribute]:
        for node in self.scopes.binding_at:
            if isinstance(node, cst.Attribute) and node.attr.value == attribute:
                yield node

    def statements_between(
        self, start: cst.CSTNode, use: cst.CSTNode
    ) -> Sequence[cst.CSTNode] | None:
        """Returns the statements behind one, up to that of a place that it always runs before.

        Args:
            start: A node in the statement.
            use: The place.

        Returns:
            The statements of the block, of which the last one holds the place; nothing if the
            place can be reached without the statement.
        """
        first = self.tree.statement(start)
        block = self.tree.parent(first)
        body = list(getattr(block, "body", ()))
        if first not in body:
            return None
        last = next((above for above in [use, *self.tree.ancestors(use)] if above in body), None)
        if last is None or last is first or body.index(last) < body.index(first):
            return None
        return body[body.index(first) + 1 : body.index(last) + 1]

    def _lasts_for_inner(self, name: str, start: cst.CSTNode, kept: Binding, there: Scope) -> bool:
        """Whether a function that is called at any time sees the object that a name had."""
        here = self._function_scope(start)
        owner = here.owner(name)
        if owner is None or there.owner(name) is not owner or there.owner(kept.name) is not here:
            return False
        bindings = owner.bindings.get(name, [])
        once = len(bindings) == 1 and (owner, name) not in self.scopes.rebound_elsewhere
        alone = len(here.bindings.get(kept.name, [])) == 1
        return once and alone and not any(map(self._repeats, (bindings[0].node, start)))

    def _repeats(self, node: cst.CSTNode) -> bool:
        """Whether a node is in a loop of its function."""
        for above in self.tree.ancestors(node):
            if isinstance(above, cst.For | cst.While | cst.CompFor):
                return True
            if isinstance(above, cst.FunctionDef | cst.Lambda | cst.ClassDef):
                return False
        return False

    def _of_the_same_self(
        self, owner: cst.BaseExpression, start: cst.CSTNode, kept: Binding, use: cst.CSTNode
    ) -> str | None:
        """Spells `self.opt` in another method than the one that sets it and `self.kept`."""
        if not isinstance(owner, cst.Attribute) or not isinstance(use, cst.Attribute):
            return None
        first, second = self._class_of(owner.value, start), self._class_of(use.value, use)
        last = kept.name.rpartition(".")[2]
        alone = len(list(self._targets(last))) == 1
        if first is None or first is not second or not alone or self._repeats(start):
            return None
        if not self._set_before(owner.attr.value, start):
            return None
        return f"{self.tree.source(use.value)}.{owner.attr.value}"

    def _class_of(self, node: cst.BaseExpression, place: cst.CSTNode) -> Scope | None:
        return class_of_self(node, self.scopes.scope_of(place))

    def nothing_runs_between(self, start: cst.CSTNode, use: cst.CSTNode) -> bool:
        """Whether no call between a statement and a later place could take an optimizer's step.

        Args:
            start: A node in the statement.
            use: The place.
        """
        between = self.statements_between(start, use)
        return between is not None and self.harmless(between, use)

    def harmless(self, statements: Sequence[cst.CSTNode], use: cst.CSTNode) -> bool:
        """Whether no call in some statements, up to a place in the last, could take a step.

        Args:
            statements: The statements.
            use: The place.
        """
        end = self.tree.span(use)[0]
        if statements:
            inside = [use, *self.tree.ancestors(use)]
            for above in inside[: inside.index(statements[-1]) + 1]:
                if isinstance(above, cst.For | cst.While):
                    end = self.tree.span(above)[1]
                if isinstance(above, cst.FunctionDef | cst.Lambda | cst.ClassDef):
                    return False
        calls = (
            node
            for statement in statements
            for node in self.tree.walk(statement)
            if isinstance(node, cst.Call) and self.tree.span(node)[0] < end
        )
        return all(self.is_harmless(call) or self._is_call_of(use, call) for call in calls)

    def _is_call_of(self, use: cst.CSTNode, call: cst.Call) -> bool:
        """Whether a loss scale is called, in a branch for versions in which it can be."""
        bindings = self.resolver.bindings(call.func)
        return bool(bindings) and bindings == self.resolver.bindings(use)

    def is_harmless(self, call: cst.Call) -> bool:
        """Whether a call takes no step: of Python, or of TensorFlow's that gets no function."""
        if isinstance(call.func, cst.Attribute) and call.func.attr.value in _HARMLESS_METHODS:
            return True
        if dotted(call.func) in _HARMLESS and not self.resolver.bindings(call.func):
            return True
        paths = self.resolver.paths(call.func)
        return (
            bool(paths)
            and all(p is not None and p.startswith(("tensorflow.", "numpy.")) for p in paths)
            and not any(isinstance(argument.value, cst.Lambda) for argument in call.args)
            and not any(
                binding.node.__class__ in (cst.FunctionDef, cst.Lambda)
                for argument in call.args
                for binding in self.resolver.bindings(argument.value)
            )
        )
