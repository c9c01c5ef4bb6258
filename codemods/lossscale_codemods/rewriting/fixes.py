# SPDX-License-Identifier: Apache-2.0
"""Makes the records' edits add up: all of a file's, applied together, are the whole change.

Some edits belong to no old name: an added import or helper, a removed alias, an import that is left
unused. A report that offers edits one by one, as SARIF does, has to offer these somewhere too.
"""

from __future__ import annotations

import dataclasses
import difflib
from typing import TYPE_CHECKING

from lossscale_codemods.editing.edits import OverlappingEditsError, apply_edits
from lossscale_codemods.vocabulary.records import Edit, Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lossscale_codemods.vocabulary.records import Record


def with_whole_change(records: Sequence[Record], before: bytes, after: bytes) -> tuple[Record, ...]:
    """Returns the records with edits that add up to the whole change of a file.

    Args:
        records: The file's records; where their edits do not fit its change, they get others.
        before: The file's text in UTF-8.
        after: The same, changed.
    """
    if _applied(before, [edit for record in records for edit in record.edits]) == after:
        return tuple(records)
    parts = {
        index: list(record.edits)
        for index, record in enumerate(records)
        if record.outcome is Outcome.REWRITTEN
    }
    if not parts:
        return tuple(records)
    for hunk in _hunks(before, after):
        inside = [i for i, edits in parts.items() if any(_touch(edit, hunk) for edit in edits)]
        own = {e for i in inside for e in parts[i] if _touch(e, hunk)}
        within = all(hunk.start <= e.start and e.end <= hunk.end for e in own)
        shifted = [Edit(e.start - hunk.start, e.end - hunk.start, e.text) for e in own]
        if within and _applied(before[hunk.start : hunk.end], shifted) == hunk.text.encode():
            continue
        for index in inside:
            parts[index] = [e for e in parts[index] if not _touch(e, hunk)]
        parts[next(iter(inside or parts))].append(hunk)
    completed = [
        dataclasses.replace(record, edits=tuple(parts.get(index, ())))
        for index, record in enumerate(records)
    ]
    whole = Edit(0, len(before), after.decode())
    if _applied(before, [edit for record in completed for edit in record.edits]) != after:
        first = next(iter(parts))
        completed = [
            dataclasses.replace(record, edits=(whole,) if index == first else ())
            for index, record in enumerate(records)
        ]
    return tuple(completed)


def _applied(text: bytes, edits: Sequence[Edit]) -> bytes | None:
    try:
        return apply_edits(text, edits)
    except OverlappingEditsError:
        return None


def _hunks(before: bytes, after: bytes) -> list[Edit]:
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    matcher = difflib.SequenceMatcher(None, old, new)
    return [
        Edit(starts[i], starts[j], b"".join(new[k:m]).decode())
        for tag, i, j, k, m in matcher.get_opcodes()
        if tag != "equal"
    ]


def _touch(edit: Edit, hunk: Edit) -> bool:
    return edit.start <= hunk.end and hunk.start <= edit.end
