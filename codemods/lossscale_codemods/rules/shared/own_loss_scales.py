# SPDX-License-Identifier: Apache-2.0
"""Loss-scale classes of a program's own, which no optimizer of today takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.program_files import others_naming
from lossscale_codemods.vocabulary.names import is_loss_scale_class

if TYPE_CHECKING:
    from lossscale_codemods.analysis.name_resolution import Resolver
    from lossscale_codemods.analysis.program import Program

_BASES = ("LossScale", "DynamicLossScale", "FixedLossScale")


def own_subclass(program: Program) -> str | None:
    """Returns a subclass of TensorFlow's loss scales that a program defines, if it has one.

    Args:
        program: The file. Its classes come first, then those of the files that can run together
            with it.

    Returns:
        The class and where it is, for a message; nothing if there is none.
    """
    own = _subclass_in(program.resolver)
    if own is not None:
        return f"{own} of this file"
    modules = program.types.project.modules
    for path in others_naming(modules, _BASES) or ():
        other = modules.at(path)
        name = _subclass_in(other) if other is not None else None
        if name is not None:
            return f"{name} of {path.name}"
    return None


def _subclass_in(resolver: Resolver) -> str | None:
    for node in resolver.scopes.of_node:
        if isinstance(node, cst.ClassDef) and any(
            path is not None and is_loss_scale_class(path)
            for base in node.bases
            for path in resolver.paths(base.value)
        ):
            return node.name.value
    return None
