# SPDX-License-Identifier: Apache-2.0
"""Where a file calls its own functions, and what it gives to their parameters."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst

if TYPE_CHECKING:
    from lossscale_codemods.analysis.bindings import Binding
    from lossscale_codemods.analysis.name_resolution import Resolver


class CallsInFile:
    """The calls in one file.

    Args:
        resolver: Knows what its names stand for.
    """

    def __init__(self, resolver: Resolver) -> None:
        self.scopes = resolver.scopes
        self.tree = resolver.scopes.tree

    def arguments(self, parameter: Binding) -> list[cst.CSTNode]:
        """Returns what the calls in this file give to a parameter of a function or lambda."""
        parameters = self.tree.parent(parameter.node)
        function = self.tree.parent(parameters) if parameters is not None else None
        if not isinstance(parameters, cst.Parameters) or function is None:
            return []
        found: list[cst.CSTNode] = []
        for call, is_bound in self.calls(function):
            value = _given(parameters, parameter.node, call, skipped=is_bound)
            if value is not None:
                found.append(value)
        return found

    @staticmethod
    def parameter(function: cst.CSTNode, argument: cst.Arg, call: cst.Call) -> cst.Param | None:
        """Returns the parameter of a function or lambda that an argument fills, if it is known.

        Args:
            function: The function or lambda.
            argument: The argument.
            call: The call that it is in.
        """
        if not isinstance(function, cst.FunctionDef | cst.Lambda):
            return None
        params = function.params
        every = [*params.posonly_params, *params.params, *params.kwonly_params]
        for skipped in (False, True):
            for parameter in every:
                if _given(params, parameter, call, skipped=skipped) is argument.value:
                    return parameter
        return None

    def calls(self, function: cst.CSTNode) -> list[tuple[cst.Call, bool]]:
        """Returns the calls of a function or lambda, and whether each gives it its `self`."""
        reads: list[tuple[cst.CSTNode, bool]] = []
        if isinstance(function, cst.FunctionDef):
            bindings = self.scopes.binding_at.get(function, [])
            reads = [(use, False) for binding in bindings for use in binding.uses]
            method = self.scopes.of_node[function].method_class()
            if method is not None:
                name = function.name.value
                if name == "__init__":
                    reads = [
                        (use, True)
                        for binding in self.scopes.binding_at.get(method[1].node, [])
                        for use in binding.uses
                    ]
                else:
                    reads = [(node, True) for node in self._attribute_reads.get(name, [])]
        else:
            above = self.tree.parent(function)
            if isinstance(above, cst.Assign):
                for target in above.targets:
                    for binding in self.scopes.binding_at.get(target.target, []):
                        reads += [(use, False) for use in binding.uses]
        found = []
        for node, is_bound in reads:
            call = self.tree.parent(node)
            if isinstance(call, cst.Call) and call.func is node:
                found.append((call, is_bound))
        return found

    @functools.cached_property
    def _attribute_reads(self) -> dict[str, list[cst.CSTNode]]:
        found: dict[str, list[cst.CSTNode]] = {}
        for node in self.scopes.scope_of_read:
            if isinstance(node, cst.Attribute):
                found.setdefault(node.attr.value, []).append(node)
        return found


def _given(
    parameters: cst.Parameters, parameter: cst.CSTNode, call: cst.Call, *, skipped: bool
) -> cst.BaseExpression | None:
    """Returns the argument that a call gives to a parameter."""
    ordered = [*parameters.posonly_params, *parameters.params]
    position = next((i for i, one in enumerate(ordered) if one is parameter), None)
    place = -1
    for argument in call.args:
        if argument.star:
            return None
        if argument.keyword is not None:
            if isinstance(parameter, cst.Param) and argument.keyword.value == parameter.name.value:
                return argument.value
            continue
        place += 1
        if position is not None and place + skipped == position:
            return argument.value
    return None
