# SPDX-License-Identifier: Apache-2.0
"""Whether an object that leaves an expression is followed to where it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.call_sites import Site, calls_in_file, filled_by
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.loss_scale_origins import is_property
from lossscale_codemods.analysis.value_uses import Use, UseKind

if TYPE_CHECKING:
    from lossscale_codemods.analysis.program import Program


class HandedOn:
    """Answers for one file.

    Args:
        program: The file.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.tree = program.tree
        self.resolver = program.resolver
        self.origins = program.loss_scales

    def is_followed(self, use: Use, node: cst.CSTNode) -> bool:
        """Whether every place is known to which a use takes a loss scale object.

        Args:
            use: What the object is used for.
            node: The expression that holds it.
        """
        if use.kind is UseKind.NAMED:
            return self._is_named(use.user, node)
        if use.kind is UseKind.PASSED:
            return self._is_given(use.user)
        if use.kind is UseKind.RETURNED:
            return self._is_returned(use.user)
        return use.kind is UseKind.HELD and self._is_held(use.user, node)

    def _is_named(self, user: cst.CSTNode | None, node: cst.CSTNode) -> bool:
        targets: list[cst.CSTNode] = []
        if isinstance(user, cst.Assign):
            targets = [target.target for target in user.targets]
        elif isinstance(user, cst.AnnAssign | cst.NamedExpr):
            targets = [user.target]
        for target in targets:
            if isinstance(target, cst.Attribute):
                last = target.attr.value
                if not self.program.reads_by_attribute.get(last):
                    return False
            elif not isinstance(target, cst.Name) and not self._reappears(node):
                return False
        return bool(targets)

    def _is_given(self, argument: cst.CSTNode | None) -> bool:
        call = self.tree.parent(argument) if argument is not None else None
        if not isinstance(call, cst.Call) or not isinstance(argument, cst.Arg):
            return False
        functions: list[cst.CSTNode | None] = [
            binding.value if isinstance(binding.value, cst.Lambda) else self._function(binding.node)
            for binding in self.resolver.bindings(call.func)
        ]
        if isinstance(call.func, cst.Lambda):
            functions = [call.func]
        return bool(functions) and all(
            function is not None and self._is_filled(function, argument, call)
            for function in functions
        )

    def _is_filled(self, function: cst.CSTNode, argument: cst.Arg, call: cst.Call) -> bool:
        """Whether an argument is known to fill a parameter, of a function or of a method."""
        sites = (Site(self.resolver, call, skipped) for skipped in (0, 1))
        return any(filled_by(argument, function, site) is not None for site in sites)

    @staticmethod
    def _function(node: cst.CSTNode) -> cst.FunctionDef | None:
        """Returns the function that a call of a function or class runs."""
        if isinstance(node, cst.FunctionDef):
            return node
        parts = node.body.body if isinstance(node, cst.ClassDef) else ()
        methods = [part for part in parts if isinstance(part, cst.FunctionDef)]
        return next((method for method in methods if method.name.value == "__init__"), None)

    def _is_returned(self, user: cst.CSTNode | None) -> bool:
        function: cst.CSTNode | None = user
        while function is not None and not isinstance(function, cst.FunctionDef | cst.Lambda):
            function = self.tree.parent(function)
        if isinstance(function, cst.FunctionDef) and function.decorators:
            reads = self.program.reads_by_attribute.get(function.name.value, ())
            return is_property(function) and any(
                function not in self.tree.ancestors(read) for read in reads
            )
        return function is not None and bool(calls_in_file(self.resolver, function))

    def _is_held(self, user: cst.CSTNode | None, node: cst.CSTNode) -> bool:
        above = self.tree.parent(user) if user is not None else None
        if isinstance(above, cst.Tuple) and isinstance(self.tree.parent(above), cst.Assign):
            statement = self.tree.parent(above)
            if isinstance(statement, cst.Assign) and all(
                isinstance(target.target, cst.Tuple) for target in statement.targets
            ):
                return True
        return self._reappears(node)

    def _reappears(self, node: cst.CSTNode) -> bool:
        """Whether what an expression holds is found again in a container or behind a loop."""
        origins = self.origins.places.get(node, frozenset())
        return any(
            origins & held and isinstance(place, cst.Name | cst.Subscript) and place is not node
            for place, held in self.origins.places.items()
        )
