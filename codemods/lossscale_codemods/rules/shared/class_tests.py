# SPDX-License-Identifier: Apache-2.0
"""Tests of whether the loss scale of an optimizer is of a loss scale's class.

`isinstance(opt.loss_scale, C)`, `type(opt.loss_scale) is C` and `... .__name__ == "C"`, where C has
the name that it has today.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.callable_tests import is_called_in
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.loss_scale_owners import attribute_owner
from lossscale_codemods.analysis.narrowing import is_type_assertion
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.rules.shared.kept_tensors import tensor_origins
from lossscale_codemods.vocabulary.names import lookup, loss_scale_class

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.program import Program

_CLASSES = frozenset({"LossScale", "FixedLossScale", "DynamicLossScale"})
_TESTING = frozenset({"isinstance", "issubclass"})


class ClassTests:
    """Finds these tests in one file.

    Args:
        program: The file.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.tree = program.tree
        self.resolver = program.resolver
        self.tensors = tensor_origins(program)

    def failing(self) -> Iterator[cst.BaseExpression]:
        """Yields the tests that the loss scale of an optimizer of today does not pass."""
        for node in self.tree.parents:
            if isinstance(node, cst.Call) and self._tests(node):
                tested = node.args[0].value
                of_type = _of_type(tested)
                if of_type is None and self._is_loss_scale(tested):
                    if not self._is_guard(node, tested):
                        yield node
                # Of an old optimizer, other rules report that the type of its loss scale is asked.
                elif of_type is not None and self._is_tensor(of_type):
                    yield node
            elif isinstance(node, cst.Comparison):
                compared = self._compared(node)
                if compared is not None and self._is_tensor(compared):
                    yield node

    def _tests(self, call: cst.Call) -> bool:
        is_test = dotted(call.func) in _TESTING and len(call.args) == 2
        return (is_test or is_type_assertion(call)) and self._names_class(call.args[1].value)

    def _compared(self, comparison: cst.Comparison) -> cst.BaseExpression | None:
        """Returns what has its type, or its type's name, compared with a loss scale's class."""
        if len(comparison.comparisons) != 1:
            return None
        sides = (comparison.left, comparison.comparisons[0].comparator)
        for one, other in (sides, sides[::-1]):
            tested = _of_type(one)
            if tested is not None and self._names_class(other):
                return tested
            if isinstance(one, cst.Attribute) and one.attr.value in {"__name__", "__qualname__"}:
                tested = _of_type(one.value)
                if tested is not None and _is_name_of_class(other):
                    return tested
        return None

    def _names_class(self, node: cst.BaseExpression) -> bool:
        """Whether an expression names such a class as it is called today, alone or among others."""
        if isinstance(node, cst.Tuple | cst.List | cst.Set):
            return any(self._names_class(element.value) for element in node.elements)
        if isinstance(node, cst.BinaryOperation):
            return self._names_class(node.left) or self._names_class(node.right)
        return any(
            path is not None and loss_scale_class(path) is not None and lookup(path) is None
            for path in self.resolver.paths(node)
        )

    def _is_loss_scale(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is proven to be the loss scale of an optimizer, old or new."""
        return self._is_tensor(node) or any(
            origin is not None
            and attribute_owner(origin, self.resolver) is not None
            and self.program.loss_scales.is_proven(origin)
            for origin in self.program.loss_scales.of(node)
        )

    def _is_tensor(self, node: cst.BaseExpression) -> bool:
        origins = self.tensors.of(node)
        known = [o for o in origins if o is not None and attribute_owner(o, self.resolver)]
        old = self.program.loss_scales
        return any(self.tensors.is_proven(o) and not old.is_proven(o) for o in known)

    def _is_guard(self, test: cst.Call, tested: cst.BaseExpression) -> bool:
        """Whether a test asks for the version: the object is called only where it is one."""
        choice = self.tree.parent(test)
        text = self.tree.source(tested)
        return (
            isinstance(choice, cst.If | cst.IfExp)
            and choice.test is test
            and choice.orelse is not None
            and is_called_in(self.tree, text, choice.body)
        )


def _of_type(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Returns x of `type(x)` and of `x.__class__`."""
    if isinstance(node, cst.Call) and dotted(node.func) == "type" and len(node.args) == 1:
        return node.args[0].value
    if isinstance(node, cst.Attribute) and node.attr.value == "__class__":
        return node.value
    return None


def _is_name_of_class(node: cst.BaseExpression) -> bool:
    """Whether an expression is the name of such a class, or of several, as strings."""
    if isinstance(node, cst.Tuple | cst.List | cst.Set):
        return any(_is_name_of_class(element.value) for element in node.elements)
    return isinstance(node, cst.SimpleString) and node.evaluated_value in _CLASSES
