# SPDX-License-Identifier: Apache-2.0
"""What the rules for names next to the loss-scale API have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from lossscale_codemods.rules.base import ImportState, Rule, Verdict
from lossscale_codemods.rules.shared import neighbour_decisions
from lossscale_codemods.rules.shared.neighbour_uses import NeighbourUses, is_looked_at
from lossscale_codemods.vocabulary.names import Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.occurrences import Occurrence
    from lossscale_codemods.analysis.program import Program


class NeighbourRule(Rule):
    """Respells neighbours, or says what to do about them."""

    order: ClassVar[int] = 2
    """What other rules find tells whether this is a program with old names."""
    targets = frozenset(Target)

    def is_mine(self, path: str) -> bool:
        """Whether this rule decides on what is at a path, if it is a neighbour."""
        raise NotImplementedError

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields the reads of such names, and imports that stay."""
        if is_looked_at(program, self.id):
            yield from self._uses(program).occurrences()

    def find_imports(self, program: Program) -> Iterator[Occurrence]:
        """Yields the imports that become others."""
        if is_looked_at(program, self.id):
            yield from self._uses(program).moved_imports()

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Respells a name, or says what to do."""
        return (
            None if occurrence.rule != self.id else neighbour_decisions.decide(occurrence, program)
        )

    def decide_import(self, occurrence: Occurrence, state: ImportState) -> Verdict | None:
        """Says what became of an import."""
        return neighbour_decisions.decide_import(occurrence, state)

    def _uses(self, program: Program) -> NeighbourUses:
        return NeighbourUses(program, self.id, self.is_mine)
