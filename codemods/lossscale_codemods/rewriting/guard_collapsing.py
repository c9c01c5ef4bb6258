# SPDX-License-Identifier: Apache-2.0
"""Takes out what rules remove as a whole, such as branches for old versions, one after the other.

What is left moves to where the whole stood; its comments come along.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.domain import Program, Role, guarded, is_part_of_old
from lossscale_codemods.source.edits import PositionMap, apply_edits
from lossscale_codemods.source.reading import text_of
from lossscale_codemods.source.syntax_tree import Tree
from lossscale_codemods.tables.records import Outcome, Record
from lossscale_codemods.tables.suppression import Suppressions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lossscale_codemods.domain import RelativeImports
    from lossscale_codemods.rules.base import Removal, Rule
    from lossscale_codemods.tables.records import Edit

_MOST_REMOVALS = 100


@dataclasses.dataclass
class Collapsed:
    """A file without what could be taken out.

    Attributes:
        program: What is left; the program as it was if there was nothing.
        records: One for each removal, as the file is.
        positions: Where what is left is in the file.
    """

    program: Program
    records: list[Record] = dataclasses.field(default_factory=list)
    positions: PositionMap = dataclasses.field(default_factory=PositionMap)


def collapse(
    original: Program, rules: Sequence[Rule], relative: RelativeImports | None
) -> Collapsed:
    """Takes out what rules remove, until there is none left.

    Args:
        original: The file.
        rules: The rules.
        relative: Knows what relative imports give.
    """
    result = Collapsed(original)
    for _ in range(_MOST_REMOVALS):
        program = result.program
        rule, removal = next(removals(program, rules), (None, None))
        if rule is None or removal is None:
            break
        result.records += [
            result.positions.of_record(record, program.tree, original.tree)
            for record in _records(program, rule, removal)
        ]
        result.positions.add(removal.edit, removal.kept)
        text = apply_edits(program.tree.text, [removal.edit])
        module = cst.parse_module(text.decode("utf-8"), program.tree.module.config_for_parsing)
        module = module.with_changes(encoding=program.tree.module.encoding)
        result.program = Program(
            Tree(module),
            program.target,
            relative,
            exports=program.exports,
            legacy_optimizers=program.legacy_optimizers,
            runs_with_old=is_part_of_old(original) or None,
            selection=program.selection,
        )
        result.program.reachability.take_over(original.reachability.features)
        result.program.line_at_first = lambda offset: original.tree.position(
            result.positions.of(offset)
        )[0]
    if result.records:
        program = result.program
        left = guarded(program, [*program.references, *program.imports])
        program.reachability.is_without_old = not left
    return result


def removals(program: Program, rules: Sequence[Rule]) -> Iterator[tuple[Rule, Removal]]:
    """Yields what can be taken out of a file, and which rule says so.

    Args:
        program: The file.
        rules: The rules.
    """
    suppressions = Suppressions(text_of(program.source))
    found = [one for rule in rules for one in rule.find(program)]
    by_rules = [one[0] if isinstance(one, tuple) else one for one in found]
    old = [one for one in by_rules if one.role is not Role.NEIGHBOUR]
    occurrences = [*program.references, *old, *program.imports]
    for rule in rules:
        for removal in rule.removals(program, occurrences):
            lines = {program.tree.position(one.span[0])[0] for one in removal.gone}
            if not suppressions.covers(rule.id, lines):
                yield rule, removal


def _records(program: Program, rule: Rule, removal: Removal) -> Iterator[Record]:
    """Yields a record for each old name that goes; the first has the edit."""
    edits: tuple[Edit, ...] = (removal.edit,)
    for occurrence in sorted(removal.gone, key=lambda one: one.span):
        line, column = program.tree.position(occurrence.span[0])
        end_line, end_column = program.tree.position(occurrence.span[1])
        yield Record(
            rule=rule.id,
            outcome=Outcome.REWRITTEN,
            line=line,
            column=column,
            name=program.describe(occurrence),
            message=removal.message,
            end_line=end_line,
            end_column=end_column,
            edits=edits,
        )
        edits = ()
