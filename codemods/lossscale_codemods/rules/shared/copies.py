# SPDX-License-Identifier: Apache-2.0
"""Whether a copy of a loss scale still has the value that the live object would have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import Binding, BindingKind
from lossscale_codemods.analysis.callable_tests import called_if_callable, is_not_callable
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.loss_scale_owners import attribute_owner
from lossscale_codemods.analysis.loss_scale_types import LossScaleType, LossScaleTypes
from lossscale_codemods.analysis.same_object import SameObject
from lossscale_codemods.rules.shared.constructors import loss_scale_argument

if TYPE_CHECKING:
    from lossscale_codemods.analysis.program import Program


def of_optimizers(node: cst.CSTNode, program: Program) -> set[cst.CSTNode]:
    """Returns the `opt.loss_scale` among what an expression can come from."""
    origins = program.loss_scales.of(node)
    return {
        o for o in origins if o is not None and attribute_owner(o, program.resolver) is not None
    }


class Copies:
    """Answers for one file.

    Args:
        program: The file.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.tree = program.tree
        self.resolver = program.resolver
        self.origins = program.loss_scales
        self.same = SameObject(program.resolver)

    def is_current(self, node: cst.BaseExpression) -> bool:
        """Whether a copy still has the value that the live object would have."""
        if all(map(self._is_fixed, of_optimizers(node, self.program))):
            return True
        return self.is_fresh(node)

    def is_number_by_now(self, node: cst.BaseExpression) -> bool:
        """Whether `callable` has been asked, and what was called then had the copy's value."""
        if is_not_callable(self.resolver, node):
            return self.is_fresh(node)
        bindings = self.resolver.bindings(node)
        pairs = [(b, one) for b in bindings for one in called_if_callable(self.resolver, b)]
        if not pairs or bindings - {binding for pair in pairs for binding in pair}:
            return False
        return all(self.same.nothing_runs_between(one.node, b.node) for b, one in pairs)

    def _is_fixed(self, origin: cst.CSTNode) -> bool:
        """Whether the optimizer that a loss scale belongs to is made with a number."""
        owner = attribute_owner(origin, self.resolver)
        bindings = self.resolver.bindings(owner) if owner is not None else frozenset()
        calls = [b.value for b in bindings if isinstance(b.value, cst.Call)]
        if not calls or len(calls) != len(bindings):
            return False
        arguments = [loss_scale_argument(call) for call in calls]
        types = LossScaleTypes(self.program)
        return all(
            argument is not None and types.types(argument.value) == {LossScaleType.NUMBER}
            for argument in arguments
        )

    def is_fresh(self, node: cst.BaseExpression) -> bool:
        """Whether no step can have been taken since the loss scale was read."""
        origins = of_optimizers(node, self.program)
        if isinstance(node, cst.Call) or self.origins.is_read_of_property(node):
            above = {type(self.tree.parent(origin)) for origin in origins}
            return bool(above) and above <= {cst.Return, cst.Lambda}
        bindings = self.resolver.bindings(node)
        if len(bindings) != 1:
            return False
        (binding,) = bindings
        if binding.kind is BindingKind.PARAMETER:
            return self._is_fresh_argument(binding, origins, node)
        return binding.value in origins and self.same.nothing_runs_between(binding.node, node)

    def _is_fresh_argument(
        self, parameter: Binding, origins: set[cst.CSTNode], node: cst.CSTNode
    ) -> bool:
        function = next(
            (a for a in self.tree.ancestors(parameter.node) if isinstance(a, cst.FunctionDef)),
            None,
        )
        if function is None or not isinstance(function.body, cst.IndentedBlock):
            return False
        body: list[cst.CSTNode] = list(function.body.body)
        last = next((a for a in self.tree.ancestors(node) if a in body), None)
        if last is None or not self.same.harmless(body[: body.index(last) + 1], node):
            return False
        for origin in origins:
            argument = self.tree.parent(origin)
            call = self.tree.parent(argument) if isinstance(argument, cst.Arg) else None
            if not isinstance(call, cst.Call):
                return False
            others = [a for a in call.args if a is not argument]
            calls = [n for a in others for n in self.tree.walk(a) if isinstance(n, cst.Call)]
            if not all(map(self.same.is_harmless, calls)):
                return False
        return True
