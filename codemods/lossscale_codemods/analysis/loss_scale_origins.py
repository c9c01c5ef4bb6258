# SPDX-License-Identifier: Apache-2.0
"""Where a loss scale object comes from: which `opt.loss_scale`, or which `DynamicLossScale(...)`.

Up to TensorFlow 2.3 both are live objects, which a program can keep under other names, in
attributes and containers, and give to functions. Here an expression is followed back to those
places, within one file.
"""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import Binding, BindingKind
from lossscale_codemods.analysis.call_sites import calls_in_file, given_to
from lossscale_codemods.analysis.cyclic_definitions import Answers
from lossscale_codemods.analysis.definition_uses import UnclearUseError
from lossscale_codemods.analysis.element_types import element_values, loop_values
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.loss_scale_owners import (
    attribute_owner,
    gives_loss_scale,
    looks_like_settings,
)
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.analysis.type_inference import ObjectType, TypeInference
from lossscale_codemods.vocabulary import frameworks
from lossscale_codemods.vocabulary.names import loss_scale_class

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lossscale_codemods.analysis.name_resolution import Resolver


class OldOptimizers(TypeInference):
    """Type inference that takes only the optimizers of the old class for loss-scale optimizers.

    The `loss_scale` of the class that stayed is a tensor: nothing that is kept of it is live.
    """

    def type_at(self, path: str) -> ObjectType:
        """Returns what kind of object a framework's class or function at a path makes."""
        return ObjectType.OTHER if frameworks.is_new_optimizer(path) else super().type_at(path)


class LossScaleOrigins:
    """Answers for the expressions of one file.

    Args:
        resolver: Knows what its names stand for.
        can_be_optimizer: Whether an expression can be one of the program's loss-scale optimizers.
        is_only_new: Whether only versions reach a place in which the loss scale is a tensor.
        optimizers: Which expressions are optimizers; by default, of the old class alone.
    """

    def __init__(
        self,
        resolver: Resolver,
        can_be_optimizer: Callable[[cst.BaseExpression], bool],
        is_only_new: Callable[[cst.CSTNode], bool],
        optimizers: TypeInference | None = None,
    ) -> None:
        self.can_be_optimizer = can_be_optimizer
        self.is_only_new = is_only_new
        self.resolver = resolver
        self.scopes = resolver.scopes
        self.tree = resolver.scopes.tree
        self.optimizers = OldOptimizers(resolver) if optimizers is None else optimizers
        self._answers: Answers[cst.CSTNode, cst.CSTNode | None] = Answers(self._find)

    def of(self, node: cst.CSTNode) -> frozenset[cst.CSTNode | None]:
        """Returns the expressions that made what an expression holds.

        Each is an `opt.loss_scale` or a call of a loss scale's class; `None` stands for anything
        else that it can hold.
        """
        return self._answers.of(node)

    @functools.cached_property
    def places(self) -> dict[cst.CSTNode, frozenset[cst.CSTNode]]:
        """The expressions that can hold a loss scale object, each with where it comes from."""
        held = {}
        for node in self._readable():
            origins = frozenset(origin for origin in self.of(node) if origin is not None)
            if origins:
                held[node] = origins
        return held

    def _readable(self) -> Iterator[cst.CSTNode]:
        if not self._has_any:
            return
        for node in self.tree.parents:
            if isinstance(node, cst.Name | cst.Attribute):
                if node in self.scopes.scope_of_read:
                    yield node
            elif isinstance(node, cst.Call | cst.Subscript):
                yield node

    @functools.cached_property
    def _has_any(self) -> bool:
        """Whether the file has a place that a loss scale object can come from at all."""
        for node in self.tree.parents:
            if self._of_attribute(node) is not None:
                return True
            if isinstance(node, cst.Call) and self._is_constructor(node):
                return True
        return False

    def _is_constructor(self, node: cst.Call) -> bool:
        path = self.resolver.path(node.func)
        return path is not None and loss_scale_class(path) is not None

    def untested_bindings(self, node: cst.CSTNode) -> frozenset[Binding]:
        """Returns the bindings that a name can have here, whatever isinstance tests say of it."""
        bindings = self.resolver.bindings(node)
        if not any(binding.kind is BindingKind.NARROWED for binding in bindings):
            return bindings
        (first, *_) = bindings
        return self.scopes.lookup(first.name, first.scope)

    def _find(self, node: cst.CSTNode) -> frozenset[cst.CSTNode | None]:
        assigned = self._of_attribute(node)
        if assigned is not None:
            return assigned
        if isinstance(node, cst.Name | cst.Attribute):
            bindings = self.resolver.bindings(node)
            if not bindings and isinstance(node, cst.Attribute):
                return self._of_any_attribute(node)
            return self._union(self._of_binding(binding, node) for binding in bindings)
        if isinstance(node, cst.IfExp):
            return self.of(node.body) | self.of(node.orelse)
        if isinstance(node, cst.BooleanOperation):
            return self.of(node.left) | self.of(node.right)
        if isinstance(node, cst.NamedExpr):
            return self.of(node.value)
        if isinstance(node, cst.Subscript):
            return self._of_values(element_values(node.value, self.resolver))
        if isinstance(node, cst.Call):
            if self._is_constructor(node):
                return frozenset([node])
            return self._of_call(node.func)
        return frozenset([None])

    def _of_attribute(self, node: cst.CSTNode) -> frozenset[cst.CSTNode | None] | None:
        """Returns what `x.loss_scale` is, if x can be a loss-scale optimizer."""
        owner = attribute_owner(node, self.resolver)
        if owner is None or self.is_only_new(node):
            return None
        if gives_loss_scale(node, self.optimizers):
            return frozenset([node])
        kinds = self.optimizers.of(owner)
        can_be = ObjectType.WRAPPER in kinds or ObjectType.UNKNOWN in kinds
        if can_be and not looks_like_settings(owner) and self.can_be_optimizer(owner):
            return frozenset([node, None])
        return None

    def is_proven(self, origin: cst.CSTNode) -> bool:
        """Whether an `x.loss_scale` is proven to be that of a loss-scale optimizer."""
        return gives_loss_scale(origin, self.optimizers)

    @staticmethod
    def _union(
        sets: Iterable[frozenset[cst.CSTNode | None]],
    ) -> frozenset[cst.CSTNode | None]:
        return frozenset().union(*sets) or frozenset([None])

    def _of_values(self, values: list[cst.CSTNode] | None) -> frozenset[cst.CSTNode | None]:
        return self._union(self.of(value) for value in values or ())

    def _of_binding(
        self, binding: Binding, node: cst.Name | cst.Attribute
    ) -> frozenset[cst.CSTNode | None]:
        if binding.kind is BindingKind.ASSIGN and binding.value is not None:
            return self.of(binding.value)
        if binding.kind is BindingKind.PARAMETER:
            given = self._given(binding)
            if isinstance(binding.node, cst.Param) and binding.node.default is not None:
                given.append(binding.node.default)
            return self._union(map(self.of, given)) | {None}
        if binding.kind is BindingKind.NARROWED:
            return self._untested(binding, node)
        if isinstance(binding.node, cst.FunctionDef) and is_property(binding.node):
            return self._of_returns(binding.node)
        return self._of_values(loop_values(binding.node, self.resolver))

    def _given(self, parameter: Binding) -> list[cst.BaseExpression]:
        """Returns what the calls in this file give to a parameter of a function or lambda."""
        parameters = self.tree.parent(parameter.node)
        function = self.tree.parent(parameters) if parameters is not None else None
        if not isinstance(parameters, cst.Parameters) or function is None:
            return []
        given: list[cst.BaseExpression] = []
        for site in calls_in_file(self.resolver, function):
            with contextlib.suppress(UnclearUseError):
                value = given_to(parameter.node, parameters, site)
                given += [value] if value is not None else []
        return given

    def _untested(
        self, binding: Binding, node: cst.Name | cst.Attribute
    ) -> frozenset[cst.CSTNode | None]:
        """Returns what a name can hold where an isinstance test has said of what class it is."""
        if isinstance(node, cst.Attribute):
            return self._of_any_attribute(node)
        others = self.scopes.lookup(binding.name, binding.scope)
        return self._union(self._of_binding(other, node) for other in others)

    def _of_any_attribute(self, node: cst.Attribute) -> frozenset[cst.CSTNode | None]:
        """Returns what an attribute of this name can hold, whatever it is read from."""
        bindings = self.attributes_set.get(node.attr.value, [])
        values = [b.value for b in bindings if b.value is not None and b.kind is BindingKind.ASSIGN]
        methods = [binding.node for binding in self._methods.get(node.attr.value, ())]
        properties = [m for m in methods if isinstance(m, cst.FunctionDef) and is_property(m)]
        results = self._union(map(self._of_returns, properties))
        return self._union(self.of(value) for value in values) | results | {None}

    def is_read_of_property(self, node: cst.CSTNode) -> bool:
        """Whether an attribute can only be a property, whose function then runs."""
        if not isinstance(node, cst.Attribute):
            return False
        bindings = self.resolver.bindings(node)
        if not bindings:
            name = node.attr.value
            bindings = frozenset([*self._methods.get(name, ()), *self.attributes_set.get(name, ())])
        return bool(bindings) and all(is_property(binding.node) for binding in bindings)

    @functools.cached_property
    def attributes_set(self) -> dict[str, list[Binding]]:
        """Every binding of an attribute, of whatever object, by the attribute's name."""
        bindings_of: dict[str, list[Binding]] = {}
        for node, bindings in self.scopes.binding_at.items():
            if isinstance(node, cst.Attribute):
                bindings_of.setdefault(node.attr.value, []).extend(bindings)
        for scope in self.scopes.of_node.values():
            for name, bindings in scope.bindings.items() if scope.is_class else ():
                bindings_of.setdefault(name, []).extend(b for b in bindings if b.value is not None)
        return bindings_of

    def _of_call(self, func: cst.BaseExpression) -> frozenset[cst.CSTNode | None]:
        """Returns what a function, method or lambda of this file gives back."""
        if isinstance(func, cst.Lambda):
            return self.of(func.body)
        bindings = self.resolver.bindings(func)
        if not bindings and isinstance(func, cst.Attribute):
            bindings = frozenset(self._methods.get(func.attr.value, ()))
            return self._union(map(self._of_result, bindings)) | {None}
        return self._union(map(self._of_result, bindings))

    def _of_result(self, binding: Binding) -> frozenset[cst.CSTNode | None]:
        if isinstance(binding.node, cst.FunctionDef) and not is_property(binding.node):
            return self._of_returns(binding.node)
        if isinstance(binding.value, cst.Lambda):
            return self.of(binding.value.body)
        return frozenset([None])

    def _of_returns(self, function: cst.FunctionDef) -> frozenset[cst.CSTNode | None]:
        inner = self.scopes.of_node[function]
        values = [
            node.value
            for node in self.tree.walk(function.body)
            if isinstance(node, cst.Return) and node.value is not None
            if self.scopes.scope_of(node) is inner
        ]
        return self._union(map(self.of, values))

    @functools.cached_property
    def _methods(self) -> dict[str, list[Binding]]:
        methods: dict[str, list[Binding]] = {}
        for scope in self.scopes.of_node.values():
            if scope.is_class:
                for name, bindings in scope.bindings.items():
                    methods.setdefault(name, []).extend(
                        b for b in bindings if isinstance(b.node, cst.FunctionDef)
                    )
        return methods


def is_property(node: cst.CSTNode) -> bool:
    """Whether a node is a function that is called when an attribute is read."""
    return isinstance(node, cst.FunctionDef) and any(
        (dotted(decorator.decorator) or "").rpartition(".")[2] in {"property", "cached_property"}
        for decorator in node.decorators
    )
