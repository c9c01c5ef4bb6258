# SPDX-License-Identifier: Apache-2.0
"""Which objects names hold, by what binds them: assignments, imports, parameters, type tests."""

from __future__ import annotations

import functools

from lossscale_codemods.analysis.bindings import Binding, BindingKind
from lossscale_codemods.analysis.call_results import PROPERTIES, CallResults
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.modules import Definition, decorators
from lossscale_codemods.analysis.object_types import (
    NOTHING,
    UNKNOWN,
    ObjectType,
    Value,
    Values,
    union,
)
from lossscale_codemods.analysis.syntax_tree import dotted, is_none
from lossscale_codemods.analysis.wrapper_calls import optimizer_argument


class BindingValues(CallResults):
    """Answers for the bindings of one file."""

    def of_binding(self, binding: Binding) -> Values:
        """Returns the objects that a binding of this file can give its name."""
        values = self._bound(binding)
        if any(v.kind is ObjectType.UNKNOWN for v in values) and binding in self._wrapped:
            # Only an optimizer can be wrapped, so that is what it holds.
            known = {v for v in values if v.kind is not ObjectType.UNKNOWN}
            return frozenset([*known, Value(ObjectType.KERAS)])
        return values

    def _bound(self, binding: Binding) -> Values:
        if binding.kind is BindingKind.ASSIGN and binding.value is not None:
            return self.values(binding.value)
        if binding.kind is BindingKind.IMPORT:
            modules = self.project.modules
            return union(
                self.of_definitions(modules.definitions(self.resolver, path or ""))
                for path in self.resolver.binding_paths(binding)
            )
        if isinstance(binding.node, cst.FunctionDef):
            is_property = bool(decorators(binding.node) & PROPERTIES)
            return self.binding_called(binding) if is_property else UNKNOWN
        if binding.kind is BindingKind.OTHER:
            return self._unpacked(binding)
        return self._of_class(binding.value) if binding.value is not None else UNKNOWN

    def _unpacked(self, binding: Binding) -> Values:
        """Returns what a name gets of a call's result: `model, optimizer = build()`."""
        tree = self.scopes.tree
        element = tree.parent(binding.node)
        target = tree.parent(element) if isinstance(element, cst.Element) else None
        above = tree.parent(target) if isinstance(target, cst.Tuple) else None
        statement = tree.parent(above) if isinstance(above, cst.AssignTarget) else None
        if not isinstance(target, cst.Tuple) or not isinstance(statement, cst.Assign):
            return UNKNOWN
        place = [e.value for e in target.elements].index(binding.node)  # type: ignore[arg-type]  # it is one
        return self.part_of_call(statement.value, place, len(target.elements))

    def _of_class(self, node: cst.BaseExpression) -> Values:
        """Returns the instances of a class, or of a tuple of classes."""
        if isinstance(node, cst.Tuple):
            return union(self._of_class(e.value) for e in node.elements)
        if isinstance(node, cst.SimpleString):
            paths = self.resolver.string_paths(str(node.evaluated_value), node)
            return self._of_paths(paths)
        if isinstance(node, cst.Subscript) and dotted(node.value) in {
            "Optional",
            "typing.Optional",
            "t.Optional",
        }:
            inner = node.slice[0].slice
            if isinstance(inner, cst.Index):
                return self._of_class(inner.value) | NOTHING
        if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.BitOr):
            return self._of_class(node.left) | self._of_class(node.right)
        if is_none(node):
            return NOTHING
        classes = self.project.modules.classes(self.resolver, node)
        if classes:
            kinds = {v.kind for c in classes for v in self.instance(c)}
            return frozenset(Value(kind) for kind in kinds)
        return self._of_paths(self.resolver.paths(node))

    def _of_paths(self, paths: frozenset[str | None]) -> Values:
        """Returns the objects that the classes at some paths make."""
        return frozenset(
            Value(self.type_at(path) if path is not None else ObjectType.UNKNOWN) for path in paths
        )

    def of_definitions(self, definitions: list[Definition]) -> Values:
        """Returns what variables of the project's modules can hold."""
        if any(self.project.members.is_replaced(one) for one in definitions):
            return UNKNOWN
        return union(self.project.file(d.resolver).of_binding(d.binding) for d in definitions)

    @functools.cached_property
    def _wrapped(self) -> set[Binding]:
        """The bindings whose value is somewhere given to a loss-scale optimizer to wrap."""
        wrapped: set[Binding] = set()
        for node in self.scopes.tree.parents:
            if isinstance(node, cst.Call) and node.args:
                inner = optimizer_argument(node)
                if (
                    inner is not None
                    and isinstance(inner.value, cst.Name | cst.Attribute)
                    and Value(ObjectType.WRAPPER) in self._of_paths(self.resolver.paths(node.func))
                ):
                    wrapped |= self.resolver.bindings(inner.value)
        return wrapped
