# SPDX-License-Identifier: Apache-2.0
"""Type inference that also tells which expressions are the loss scale of an optimizer.

It follows `opt.loss_scale` as the optimizers themselves are followed: through functions, attributes
and variables, from file to file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.loss_scale_owners import ATTRIBUTES
from lossscale_codemods.analysis.object_types import UNKNOWN, ObjectType, Value, Values
from lossscale_codemods.analysis.type_inference import TypeInference

if TYPE_CHECKING:
    import libcst as cst

_SCALE: Values = frozenset([Value(ObjectType.SCALE)])
_WITHOUT = {ObjectType.WRAPPER, ObjectType.NOTHING, ObjectType.KERAS, ObjectType.V1}
"""What has no attribute of that name, but for the first."""


class ScaleTypes(TypeInference):
    """Answers for the expressions of one file."""

    def is_scale(self, node: cst.CSTNode) -> bool:
        """Whether an expression is proven to be the loss scale of a loss-scale optimizer."""
        return self._is_proven(node, ObjectType.SCALE)

    def _of_attribute(self, node: cst.Attribute) -> Values:
        if node.attr.value in ATTRIBUTES and not self.scopes.reaching.get(node):
            kinds = {value.kind for value in self.values(node.value)}
            if ObjectType.WRAPPER in kinds:
                return _SCALE if kinds <= _WITHOUT else _SCALE | UNKNOWN
        return super()._of_attribute(node)
