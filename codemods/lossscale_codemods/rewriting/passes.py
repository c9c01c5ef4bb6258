# SPDX-License-Identifier: Apache-2.0
"""Joins what two passes over a file did, one after the other, to what they did together."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.syntax_tree import Tree
from lossscale_codemods.editing.position_mapping import PositionMap
from lossscale_codemods.rewriting.fixes import with_whole_change
from lossscale_codemods.vocabulary.records import Outcome

if TYPE_CHECKING:
    from lossscale_codemods.vocabulary.records import Record, Result


def passes_joined(first: Result, second: Result) -> Result:
    """Returns what becomes of a file by two passes.

    What the second found where the first had found something is what is known of that place.

    Args:
        first: What the first pass did.
        second: What the next one made of its output.
    """
    before, between, after = (
        Tree(cst.parse_module(source)) for source in (first.source, first.output, second.output)
    )
    positions = PositionMap()
    positions.add_all([edit for record in first.records for edit in record.edits])
    later = [positions.of_record(record, between, before) for record in second.records]
    places = {_start_of(record) for record in later}
    kept = [
        record
        for record in first.records
        if record.outcome is Outcome.REWRITTEN or _start_of(record) not in places
    ]
    records = sorted([*kept, *later], key=lambda r: (r.line, r.column, r.rule))
    return dataclasses.replace(
        second,
        source=first.source,
        records=with_whole_change(records, before.text, after.text),
        changed_names=tuple(sorted({*first.changed_names, *second.changed_names})),
        uses_old_api=first.uses_old_api,
        changes_optimizers=first.changes_optimizers or second.changes_optimizers,
    )


def _start_of(record: Record) -> tuple[int, int]:
    return record.line, record.column
