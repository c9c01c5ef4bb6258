# SPDX-License-Identifier: Apache-2.0
"""What a loss scale expression is worth: its constant value, or what kind of loss scale it can be.

Expressions are evaluated without running the program: to see constants, and to prove that a
rewritten constructor means what the old one did. What cannot be evaluated is an atom, for which the
caller may know a value.
"""

from __future__ import annotations

import ast
import enum
import operator
from collections.abc import Callable, Mapping
from typing import Any

import libcst as cst

from lossscale_codemods.domain.program import Program
from lossscale_codemods.python import Binding, BindingKind
from lossscale_codemods.source.syntax_tree import dotted, is_none
from lossscale_codemods.tables.names import loss_scale_class

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
    ast.LShift: operator.lshift, ast.Pow: operator.pow,
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}
_LARGEST_EXPONENT = 4096


class UnknownAtomError(ValueError):
    """An expression whose value is not known; the argument is its source."""


def parse_expression(source: str) -> ast.expr:
    """Parses one expression, which may span lines.

    Raises:
        SyntaxError: It is no expression.
    """
    return ast.parse(f"({source}\n)", mode="eval").body


class Evaluator:
    """Evaluates parsed expressions, of which some atoms and calls are known by their source."""

    def __init__(
        self,
        atoms: Mapping[str, object] | None = None,
        calls: Mapping[str, Callable[..., Any]] | None = None,
    ) -> None:
        self.atoms = atoms or {}
        self.calls: dict[str, Callable[..., Any]] = {"float": float, "int": int, "str": str}
        self.calls.update(calls or {})

    def value(self, node: ast.expr) -> Any:
        """Returns the value of an expression.

        Raises:
            UnknownAtomError: A part of it is not known.
        """
        if ast.unparse(node) in self.atoms:
            return self.atoms[ast.unparse(node)]
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
            return _UNARY[type(node.op)](self.value(node.operand))
        if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
            return self._binary(node)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in self.calls:
            args = [self.value(a) for a in node.args]
            return self.calls[ast.unparse(node.func)](*args, **self.keywords(node))
        raise UnknownAtomError(ast.unparse(node))

    def keywords(self, node: ast.Call) -> dict[str, Any]:
        """Returns the keyword arguments of a call, with `**` ones unpacked."""
        values: dict[str, Any] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                values.update(self.value(keyword.value))
            else:
                values[keyword.arg] = self.value(keyword.value)
        return values

    def _binary(self, node: ast.BinOp) -> Any:
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(left, str) or isinstance(right, str):
            # A loss scale is no arithmetic on strings, and `"x" * 2 ** 40` would fill the memory.
            raise TypeError(ast.unparse(node))
        if isinstance(node.op, ast.Pow | ast.LShift) and abs(right) > _LARGEST_EXPONENT:
            raise OverflowError(ast.unparse(node))
        return _BINARY[type(node.op)](left, right)


def constant_or_none(source: str) -> Any:
    """Returns the value of an expression of constants; `None` for any other."""
    try:
        return Evaluator().value(parse_expression(source))
    except (SyntaxError, ValueError, ArithmeticError, TypeError, AttributeError):
        return None


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
        value = constant_or_none(self.tree.source(node))
        if value is None:
            return {LossScaleType.UNKNOWN}
        if value == "dynamic":
            return {LossScaleType.DYNAMIC}
        return {LossScaleType.NUMBER if isinstance(value, int | float) else LossScaleType.INVALID}

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
        returned = self.program.scopes.returned(function)
        if not returned or function.decorators:
            return {LossScaleType.UNKNOWN}
        kinds = [
            {LossScaleType.NOTHING} if one is None else self._types(one, seen) for one in returned
        ]
        return set().union(*kinds)
