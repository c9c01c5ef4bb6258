# SPDX-License-Identifier: Apache-2.0
"""Where a value is read whose origin is not known: under its name, and the names given to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.loss_scale_owners import attribute_owner
from lossscale_codemods.analysis.value_uses import UseKind, uses_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lossscale_codemods.analysis.program import Program


def reads_of_same_variable(
    node: cst.BaseExpression, program: Program
) -> Iterator[cst.BaseExpression]:
    """Yields the reads of a variable, and of those that it is assigned to.

    Args:
        node: One read of it.
        program: The file.
    """
    waiting: list[cst.CSTNode] = [node]
    seen: set[object] = set()
    while waiting:
        current = waiting.pop()
        places: list[cst.CSTNode] = [current]
        if isinstance(current, cst.Attribute) and current.attr.value not in seen:
            seen.add(current.attr.value)
            reads = program.reads_by_attribute.get(current.attr.value, [])
            places += [read for read in reads if not _is_read_of_optimizer(read, program)]
        for binding in program.resolver.bindings(current):
            if binding not in seen:
                seen.add(binding)
                places += binding.uses
        for place in dict.fromkeys(places):
            if isinstance(place, cst.BaseExpression):
                yield place
            for use in uses_of(place, program.resolver):
                if use.kind is UseKind.NAMED and isinstance(use.user, cst.Assign):
                    waiting += [
                        target
                        for one in use.user.targets
                        for target in _reads_of(one.target, program)
                        if target not in places
                    ]


def _is_read_of_optimizer(node: cst.Attribute, program: Program) -> bool:
    """Whether an attribute is a loss-scale optimizer's own, whatever that was given."""
    owner = attribute_owner(node, program.resolver)
    return owner is not None and program.types.is_wrapper(owner)


def _reads_of(target: cst.BaseExpression, program: Program) -> Sequence[cst.CSTNode]:
    """Returns a few reads of what an assignment binds, from which the others are found."""
    if isinstance(target, cst.Attribute):
        return [*program.reads_by_attribute.get(target.attr.value, [])][:1]
    bindings = program.scopes.binding_at.get(target, [])
    return [use for binding in bindings for use in binding.uses[:1]]
