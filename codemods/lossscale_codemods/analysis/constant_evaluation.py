# SPDX-License-Identifier: Apache-2.0
"""Evaluates the few expressions that loss scales are written in, without running the program.

Used twice: to see constants, and to prove that a rewritten constructor means what the old one did.
What cannot be evaluated is an atom, for which the caller may know a value.
"""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
    ast.Pow: operator.pow,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_LARGEST_EXPONENT = 4096


class UnknownAtomError(Exception):
    """An expression whose value is not known; the argument is the key of its atom."""


class FixedLossScale:
    """Stands in for TensorFlow's class of this name."""

    def __init__(self, loss_scale_value: float) -> None:
        self._config = {"loss_scale_value": float(loss_scale_value)}

    def get_config(self) -> dict[str, float]:
        """Returns the config, as TensorFlow's class does."""
        return dict(self._config)


class DynamicLossScale:
    """Stands in for TensorFlow's class of this name."""

    def __init__(
        self,
        initial_loss_scale: float = 2**15,
        increment_period: int = 2000,
        multiplier: float = 2.0,
    ) -> None:
        self._config = {
            "initial_loss_scale": float(initial_loss_scale),
            "increment_period": int(increment_period),
            "multiplier": float(multiplier),
        }

    def get_config(self) -> dict[str, float]:
        """Returns the config, as TensorFlow's class does."""
        return dict(self._config)


LOSS_SCALE_CLASSES: dict[str, Callable[..., Any]] = {
    "FixedLossScale": FixedLossScale,
    "DynamicLossScale": DynamicLossScale,
}


def parse_expression(source: str) -> ast.expr:
    """Parses one expression, which may span lines.

    Raises:
        SyntaxError: It is no expression.
    """
    return ast.parse(f"({source}\n)", mode="eval").body


def atom_key(node: ast.expr) -> str:
    """Returns what tells an atom from others."""
    return ast.unparse(node)


class Evaluator:
    """Evaluates parsed expressions.

    Args:
        atoms: Known values of atoms, by their source.
        calls: What to call for calls, by the source of the function.
    """

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
        if atom_key(node) in self.atoms:
            return self.atoms[atom_key(node)]
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
            return _UNARY[type(node.op)](self.value(node.operand))
        if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
            return self._binary(node)
        if isinstance(node, ast.IfExp):
            return self.value(node.body if self.value(node.test) else node.orelse)
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARE:
            left, right = self.value(node.left), self.value(node.comparators[0])
            return _COMPARE[type(node.ops[0])](left, right)
        if isinstance(node, ast.BoolOp):
            return self._bool(node)
        if isinstance(node, ast.Dict) and all(k is not None for k in node.keys):
            return {
                self.value(k): self.value(v)
                for k, v in zip(node.keys, node.values, strict=True)
                if k is not None
            }
        if isinstance(node, ast.Call) and atom_key(node.func) in self.calls:
            args = [self.value(a) for a in node.args]
            return self.calls[atom_key(node.func)](*args, **self.keywords(node))
        raise UnknownAtomError(atom_key(node))

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
            raise TypeError(atom_key(node))
        if isinstance(node.op, ast.Pow | ast.LShift) and abs(right) > _LARGEST_EXPONENT:
            raise OverflowError(atom_key(node))
        return _BINARY[type(node.op)](left, right)

    def _bool(self, node: ast.BoolOp) -> Any:
        value: Any = None
        for part in node.values:
            value = self.value(part)
            if bool(value) != isinstance(node.op, ast.And):
                return value
        return value


def constant(source: str) -> Any:
    """Returns the value of an expression of constants.

    Raises:
        ValueError: It has none that can be seen without running the program.
    """
    try:
        return Evaluator().value(parse_expression(source))
    except (UnknownAtomError, SyntaxError, ArithmeticError, TypeError, AttributeError) as error:
        raise ValueError(source) from error
