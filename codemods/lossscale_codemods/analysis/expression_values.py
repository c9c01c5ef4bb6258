# SPDX-License-Identifier: Apache-2.0
"""Evaluates the syntax of expressions: operators, subscripts, tuples and comprehensions."""

from __future__ import annotations

import abc
import operator
from typing import TYPE_CHECKING, Any

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.parsed_versions import UnknownValueError, comparable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_DEEPEST = 30
_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.add,
    "Subtract": operator.sub,
    "Multiply": operator.mul,
    "Divide": operator.truediv,
}
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "Equal": operator.eq,
    "NotEqual": operator.ne,
    "LessThan": operator.lt,
    "LessThanEqual": operator.le,
    "GreaterThan": operator.gt,
    "GreaterThanEqual": operator.ge,
    "In": lambda a, b: a in b,
    "NotIn": lambda a, b: a not in b,
    "Is": lambda a, b: a is b,
    "IsNot": lambda a, b: a is not b,
}


class ExpressionValues(abc.ABC):
    """Evaluates expressions, once it is known what names, attributes and calls give."""

    def __init__(self) -> None:
        self._depth = 0
        self.within: list[Mapping[str, Any]] = []
        """The variables of the comprehensions around, and their values."""

    @abc.abstractmethod
    def of_name(self, node: cst.Name) -> Any:
        """Returns the value of a name."""

    @abc.abstractmethod
    def of_attribute(self, node: cst.Attribute) -> Any:
        """Returns the value of an attribute."""

    @abc.abstractmethod
    def of_call(self, node: cst.Call) -> Any:
        """Returns what a call gives."""

    def truth(self, node: cst.BaseExpression) -> bool | None:
        """Returns whether a condition holds; `None` if it depends on more than the version."""
        try:
            return bool(self.of(node))
        except UnknownValueError:
            return None

    def of(self, node: cst.BaseExpression) -> Any:
        """Returns the value of an expression.

        Raises:
            UnknownValueError: It depends on more than the version.
        """
        self._depth += 1
        try:
            if self._depth > _DEEPEST:
                raise UnknownValueError
            return self._of(node)
        except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
            raise UnknownValueError from error
        finally:
            self._depth -= 1

    def _of(self, node: cst.BaseExpression) -> Any:  # noqa: PLR0912  # one branch for each kind of node
        if isinstance(node, cst.Name):
            return self.of_name(node)
        if isinstance(node, cst.SimpleString | cst.Integer | cst.Float):
            return node.evaluated_value
        if isinstance(node, cst.Attribute):
            return self.of_attribute(node)
        if isinstance(node, cst.Call):
            return self.of_call(node)
        if isinstance(node, cst.Tuple | cst.List):
            return tuple(self.of(element.value) for element in node.elements)
        if isinstance(node, cst.Comparison):
            return self._comparison(node)
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
            return not self.of(node.expression)
        if isinstance(node, cst.BooleanOperation):
            return self._boolean(node)
        if isinstance(node, cst.IfExp):
            return self.of(node.body if self.of(node.test) else node.orelse)
        if isinstance(node, cst.BinaryOperation):
            operation = _BINARY[type(node.operator).__name__]
            return operation(self.of(node.left), self.of(node.right))
        if isinstance(node, cst.Subscript):
            return self._item(node)
        if isinstance(node, cst.GeneratorExp | cst.ListComp):
            return self._comprehension(node)
        if isinstance(node, cst.NamedExpr):
            return self.of(node.value)
        raise UnknownValueError

    def _comparison(self, node: cst.Comparison) -> bool:
        left = self.of(node.left)
        for target in node.comparisons:
            right = self.of(target.comparator)
            name = type(target.operator).__name__
            first, second = left, right
            if name not in {"In", "NotIn", "Is", "IsNot"}:
                first, second = comparable(left, right), comparable(right, left)
            if not _COMPARE[name](first, second):
                return False
            left = right
        return True

    def _boolean(self, node: cst.BooleanOperation) -> Any:
        stops = isinstance(node.operator, cst.Or)
        sides = []
        for side in (node.left, node.right):
            try:
                sides.append(self.of(side))
            except UnknownValueError:
                sides.append(UnknownValueError)
        for value in sides:
            if value is not UnknownValueError and bool(value) is stops:
                return value  # Whatever the other side is.
        if UnknownValueError in sides:
            raise UnknownValueError
        return sides[1]

    def _item(self, node: cst.Subscript) -> Any:
        value = self.of(node.value)
        if not isinstance(value, str | tuple) or len(node.slice) != 1:
            raise UnknownValueError
        index = node.slice[0].slice
        if isinstance(index, cst.Index):
            return value[self.of(index.value)]
        if not isinstance(index, cst.Slice):
            raise UnknownValueError
        parts = (index.lower, index.upper, index.step)
        return value[slice(*(None if part is None else self.of(part) for part in parts))]

    def _comprehension(self, node: cst.GeneratorExp | cst.ListComp) -> Any:
        loop = node.for_in
        if loop.inner_for_in is not None or loop.ifs or not isinstance(loop.target, cst.Name):
            raise UnknownValueError
        values = []
        for value in self.of(loop.iter):
            self.within.append({loop.target.value: value})
            try:
                values.append(self.of(node.elt))
            finally:
                self.within.pop()
        return tuple(values)
