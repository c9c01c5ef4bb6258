# SPDX-License-Identifier: Apache-2.0
"""What a program still asks of the loss scale of an optimizer of today, which is a tensor.

A constructor that was migrated leaves such uses behind if they could not be respelled. They are
found again in every later run, whether or not an old name is left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import BindingKind
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.loss_scale_origins import LossScaleOrigins
from lossscale_codemods.analysis.loss_scale_owners import attribute_owner
from lossscale_codemods.analysis.object_guards import guards_of_call
from lossscale_codemods.analysis.object_types import ObjectType
from lossscale_codemods.analysis.value_uses import UseKind, uses_of
from lossscale_codemods.rules.shared.attribute_reads import OLD_ATTRIBUTES
from lossscale_codemods.rules.shared.copies import of_optimizers
from lossscale_codemods.vocabulary.names import NEW_OPTIMIZER_MEMBER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.program import Program


def tensor_origins(program: Program) -> LossScaleOrigins:
    """Returns who knows where loss scales come from that optimizers of any class have.

    Args:
        program: The file.
    """
    types = program.types
    return LossScaleOrigins(
        program.resolver,
        lambda node: ObjectType.WRAPPER in types.of(node),
        program.reachability.is_only_new,
        types,
    )


class KeptTensors:
    """Finds these uses in one file.

    Args:
        program: The file.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.origins = tensor_origins(program)

    def places(self) -> Iterator[cst.BaseExpression]:
        """Yields what holds a tensor and is called, or asked for what only the object had."""
        name = NEW_OPTIMIZER_MEMBER.encode()
        if name not in self.program.tree.text or not self.program.has_optimizers:
            return
        for node, origins in self.origins.places.items():
            if not isinstance(node, cst.BaseExpression) or node in origins:
                continue  # Rules of their own respell `opt.loss_scale()`.
            if of_optimizers(node, self.program) or node in self.program.scopes.binding_at:
                continue
            if any(b.kind is BindingKind.NARROWED for b in self.program.resolver.bindings(node)):
                continue  # A test has found of what class it is.
            tensors = [o for o in origins if attribute_owner(o, self.program.resolver)]
            if any(guards_of_call(self.program, node)):
                continue  # It is called in versions alone in which it can be.
            if tensors and self._is_taken_for_an_object(node):
                yield node

    def _is_taken_for_an_object(self, node: cst.BaseExpression) -> bool:
        return any(
            use.kind is UseKind.CALLED
            or (isinstance(use.user, cst.Attribute) and use.user.attr.value in OLD_ATTRIBUTES)
            for use in uses_of(node, self.program.resolver)
        )
