# SPDX-License-Identifier: Apache-2.0
"""What a loss scale expression can be, as far as the file says."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import Binding, BindingKind
from lossscale_codemods.analysis.constant_evaluation import constant
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.syntax_tree import dotted, is_none
from lossscale_codemods.vocabulary.names import loss_scale_class

if TYPE_CHECKING:
    from lossscale_codemods.analysis.program import Program


class LossScaleType(enum.Enum):
    """What a loss scale expression can be."""

    DYNAMIC = '"dynamic"'
    NUMBER = "a number"
    OBJECT = "a loss scale object"
    NOTHING = "None"
    INVALID = "no loss scale"
    UNKNOWN = "unknown"


class LossScaleTypes:
    """Reads the kinds of loss scale expressions of one file."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.tree = program.tree
        self.resolver = program.resolver

    def types(self, node: cst.BaseExpression) -> set[LossScaleType]:
        """Returns what a loss scale expression can be."""
        return self._types(node, frozenset())

    def _types(self, node: cst.BaseExpression, seen: frozenset[Binding]) -> set[LossScaleType]:
        if is_none(node):
            return {LossScaleType.NOTHING}
        if isinstance(node, cst.IfExp):
            return self._types(node.body, seen) | self._types(node.orelse, seen)
        if isinstance(node, cst.Call):
            return self._call_kinds(node, seen)
        if isinstance(node, cst.Name | cst.Attribute):
            if isinstance(node, cst.Name) and node.value in {"True", "False"}:
                return {LossScaleType.NUMBER}
            return self._variable_kinds(node, seen)
        try:
            value = constant(self.tree.source(node))
        except ValueError:
            return {
                LossScaleType.NUMBER if self._is_arithmetic(node, seen) else LossScaleType.UNKNOWN
            }
        if value == "dynamic":
            return {LossScaleType.DYNAMIC}
        return {LossScaleType.NUMBER if isinstance(value, int | float) else LossScaleType.INVALID}

    def _is_arithmetic(self, node: cst.BaseExpression, seen: frozenset[Binding]) -> bool:
        """Whether an expression gives a number, if it gives anything the old API accepted."""
        if isinstance(node, cst.UnaryOperation):
            return isinstance(node.operator, cst.Minus | cst.Plus)
        if not isinstance(node, cst.BinaryOperation):
            return False
        if isinstance(
            node.operator, cst.Subtract | cst.Divide | cst.FloorDivide | cst.Power | cst.LeftShift
        ):
            return True
        if isinstance(node.operator, cst.Multiply | cst.Add):
            number = {LossScaleType.NUMBER}
            return self._types(node.left, seen) == number or self._types(node.right, seen) == number
        return False

    def _variable_kinds(
        self, node: cst.BaseExpression, seen: frozenset[Binding]
    ) -> set[LossScaleType]:
        types: set[LossScaleType] = set()
        for binding in self.resolver.bindings(node):
            if binding in seen or binding.kind is not BindingKind.ASSIGN or binding.value is None:
                return {LossScaleType.UNKNOWN}
            types |= self._types(binding.value, seen | {binding})
        if isinstance(node, cst.Attribute) and types:
            # Other files may assign attributes, and do so with configurations.
            return {LossScaleType.UNKNOWN}
        return types or {LossScaleType.UNKNOWN}

    def _call_kinds(self, node: cst.Call, seen: frozenset[Binding]) -> set[LossScaleType]:
        if dotted(node.func) in {"float", "int"} and not self.resolver.bindings(node.func):
            return {LossScaleType.NUMBER}
        bindings = self.resolver.bindings(node.func) if isinstance(node.func, cst.Name) else ()
        if len(bindings) == 1:
            (binding,) = bindings
            if isinstance(binding.node, cst.FunctionDef) and binding not in seen:
                return self._returned_kinds(binding.node, seen | {binding})
        for path in self.resolver.paths(node.func):
            if path is None or loss_scale_class(path) is None:
                return {LossScaleType.UNKNOWN}
        return {LossScaleType.OBJECT}

    def _returned_kinds(
        self, function: cst.FunctionDef, seen: frozenset[Binding]
    ) -> set[LossScaleType]:
        """Returns what a function of the file can return."""
        returned = self.program.scopes.returned(function)
        if not returned or function.decorators:
            return {LossScaleType.UNKNOWN}
        kinds = [
            {LossScaleType.NOTHING} if one is None else self._types(one, seen) for one in returned
        ]
        return set().union(*kinds)
