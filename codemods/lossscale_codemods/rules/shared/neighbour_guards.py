# SPDX-License-Identifier: Apache-2.0
"""Code that programs have for versions with and without a name, whichever they run on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from compat_lossscale.neighbour_names.lookup import neighbour_at
from lossscale_codemods.domain import BindingKind, OptimizerNames, catches_error, leaves_block
from lossscale_codemods.source.syntax_tree import dotted
from lossscale_codemods.tables.paths import canonical

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lossscale_codemods.domain import Program

_MISSING = ("ImportError", "ModuleNotFoundError", "AttributeError")
_ANYTHING = ("Exception", "BaseException")


class NeighbourGuards:
    """Answers for the nodes of one file.

    Args:
        program: The file.
        rule: The id of the rule that asks.
    """

    def __init__(self, program: Program, rule: str) -> None:
        self.program = program
        self.tree = program.tree
        self._old_versions = OptimizerNames(program, rule)

    def leaves(self, node: cst.CSTNode, *names: str, is_there: bool = False) -> bool:
        """Whether a use of a name is right as it is: nothing fails if the name is not there.

        Args:
            node: The use.
            names: The name, without its module, and the one that takes its place.
            is_there: Whether there is something else under the name, so that nothing fails.
        """
        below = node
        for above in self.tree.ancestors(node):
            if isinstance(above, cst.Try):
                if below is above.body and not is_there and self._is_caught(above):
                    return True
            elif isinstance(above, cst.ExceptHandler):
                if self._is_stood_in_for(above, node):
                    return True
            elif (
                isinstance(above, cst.If | cst.IfExp)
                and below is not above.test
                and self._asks_for(above.test, names)
            ):
                return True
            below = above
        return self._old_versions.is_left(node)

    def _is_caught(self, node: cst.Try) -> bool:
        """Whether a `try` statement handles that a name in it is missing."""
        few = len(node.body.body) == 1
        return any(
            catches_error(self.tree, handler, (*_MISSING, *(_ANYTHING if few else ())))
            and (handler.type is not None or few)
            and not leaves_block(handler.body)
            for handler in node.handlers
        )

    def _is_stood_in_for(self, handler: cst.ExceptHandler, node: cst.CSTNode) -> bool:
        """Whether what a handler imports has been imported from somewhere else by then."""
        tried = self.tree.parent(handler)
        if not isinstance(tried, cst.Try) or not isinstance(node, cst.ImportAlias):
            return False
        for binding in self.program.scopes.binding_at.get(node, []):
            for other in binding.scope.bindings.get(binding.name, []):
                if (
                    other.kind is BindingKind.IMPORT
                    and tried.body in self.tree.ancestors(other.node)
                    and neighbour_at(canonical(other.path or "")) is None
                ):
                    return True
        return False

    def _asks_for(self, test: cst.BaseExpression, names: Sequence[str]) -> bool:
        """Whether a condition asks for one of some names: `hasattr(np, "float")`."""
        return any(
            isinstance(node, cst.SimpleString)
            and node.evaluated_value in names
            and self._is_looked_up(node)
            for node in self.tree.walk(test)
        )

    def _is_looked_up(self, text: cst.SimpleString) -> bool:
        """Whether a string is a name that is looked up, and not a word that others are compared to.

        It is in `hasattr(np, "float")` and `"float" in dir(np)`, and not in `kind == "float"`.
        """
        above = self.tree.parent(text)
        if isinstance(above, cst.Arg):
            call = self.tree.parent(above)
            return isinstance(call, cst.Call) and "attr" in (dotted(call.func) or "").lower()
        if not isinstance(above, cst.Comparison) or above.left is not text:
            return False
        place = above.comparisons[0].comparator
        if isinstance(place, cst.Call):
            return dotted(place.func) in {"dir", "vars"}
        return isinstance(place, cst.Attribute) and place.attr.value in {"__all__", "__dict__"}
