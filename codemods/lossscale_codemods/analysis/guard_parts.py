# SPDX-License-Identifier: Apache-2.0
"""What a guard is, and what is in the parts of one: old names, and what they have become."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.probes import is_new
from lossscale_codemods.vocabulary import frameworks
from lossscale_codemods.vocabulary.names import Meaning
from lossscale_codemods.vocabulary.paths import canonical

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lossscale_codemods.analysis.program import Program


@dataclasses.dataclass
class Guard:
    """A statement or expression that chooses between old and new names.

    Attributes:
        node: The statement or expression.
        old: The parts for old versions.
        new: The part for new versions, if it is one part of this statement.
        sure: Whether it is a test of versions or names for all that is seen here.
        alone: Whether nothing in the file does the same in new versions.
    """

    node: cst.CSTNode
    old: list[cst.CSTNode]
    new: cst.CSTNode | None
    sure: bool = True
    alone: bool = False


class Parts:
    """Answers for the parts of one file.

    Args:
        program: The file.
        occurrences: The old names in it that count.
    """

    def __init__(self, program: Program, occurrences: Sequence[Occurrence]) -> None:
        self.program = program
        self.tree = program.tree
        told = (Role.UNRESOLVED, Role.DOUBTFUL)  # Neither says for which versions a branch is.
        self.occurrences = [o for o in occurrences if o.role not in told]
        self.old_nodes = {o.node for o in self.occurrences}

    def has_old(self, part: Sequence[cst.CSTNode]) -> bool:
        """Whether an old name is in some nodes."""
        return any(is_within(self.program, n, one) for one in part for n in self.old_nodes)

    def has_new(self, part: Sequence[cst.CSTNode]) -> bool:
        """Whether a name of today is in some nodes."""
        return any(
            is_new(node, self.program.resolver) for one in part for node in self.tree.walk(one)
        )

    def becomes(self, part: Sequence[cst.CSTNode]) -> set[str]:
        """Returns what the old names in some nodes are today."""
        return {
            canonical(path)
            for occurrence in self.occurrences
            if any(is_within(self.program, occurrence.node, one) for one in part)
            for old in occurrence.names
            if old.meaning is not Meaning.MODULE
            for path in old.new
        }

    def new_names(self, part: Sequence[cst.CSTNode]) -> set[str]:
        """Returns the names of today in some nodes."""
        paths = (
            self.program.resolver.paths(node)
            for one in part
            for node in self.tree.walk(one)
            if isinstance(node, cst.Attribute | cst.Name)
        )
        return {
            canonical(p)
            for node_paths in paths
            for p in node_paths
            if p and frameworks.is_new_name(p)
        }


def is_within(program: Program, node: cst.CSTNode, part: cst.CSTNode) -> bool:
    """Whether a node is a part of a file, or in it."""
    return node is part or any(above is part for above in program.tree.ancestors(node))


def catches_error(program: Program, handler: cst.ExceptHandler, errors: Sequence[str]) -> bool:
    """Whether an exception handler catches one of some errors, by their names."""
    if handler.type is None:
        return True
    caught = program.tree.source(handler.type)
    return any(name in caught for name in errors)
