# SPDX-License-Identifier: Apache-2.0
"""Maps the parts of an edited text to where they were, so that findings name lines of the file.

Needed where one edit follows another: what is found in a text with branches taken out is to be
looked for in the text that still has them.
"""

from __future__ import annotations

import bisect
import dataclasses
from typing import TYPE_CHECKING

from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lossscale_codemods.analysis.syntax_tree import Tree
    from lossscale_codemods.vocabulary.records import Record


class PositionMap:
    """What has been done to a text, edit after edit."""

    def __init__(self) -> None:
        self._steps: list[list[tuple[int, int]]] = []
        """For each edit: where each part of the text starts, and where it started before."""

    def add(self, edit: Edit, kept: Iterable[tuple[int, int]]) -> None:
        """Notes an edit.

        Args:
            edit: The edit, in offsets into the text as all edits before it left it.
            kept: Where each part of the new text starts in it, and where that part stood.
        """
        end = edit.start + len(edit.text.encode())
        inside = [(edit.start + start, before) for start, before in kept]
        self._steps.append([(0, 0), *inside, (end, edit.end)])

    def add_all(self, edits: Iterable[Edit]) -> None:
        """Notes edits that were made together; what they wrote stands where they begin.

        Args:
            edits: The edits, in offsets into the text as all edits before them left it.
        """
        parts = [(0, 0)]
        grown = 0
        for edit in sorted(edits, key=lambda one: (one.start, one.end)):
            length = len(edit.text.encode())
            parts += [(edit.start + grown + n, edit.start) for n in range(length)]
            grown += length - (edit.end - edit.start)
            parts.append((edit.end + grown, edit.end))
        self._steps.append(parts)

    def of(self, offset: int) -> int:
        """Returns the offset in the original text of what is at an offset now."""
        for step in reversed(self._steps):
            start, before = step[bisect.bisect_right(step, offset, key=lambda part: part[0]) - 1]
            offset = before + offset - start
        return offset

    def of_record(self, record: Record, now: Tree, at_first: Tree) -> Record:
        """Returns a record of the text as it is now as one of the text as it was at first.

        Args:
            record: The record.
            now: The text as it is now.
            at_first: The text before all edits.
        """
        start, end = self._of_span(
            now.offset(record.line, record.column), now.offset(record.end_line, record.end_column)
        )
        line, column = at_first.position(start)
        end_line, end_column = at_first.position(end)
        return dataclasses.replace(
            record,
            line=line,
            column=column,
            end_line=end_line,
            end_column=end_column,
            edits=tuple(Edit(*self._of_span(e.start, e.end), e.text) for e in record.edits),
        )

    def _of_span(self, start: int, end: int) -> tuple[int, int]:
        # What is behind a part may have been moved to its end from elsewhere.
        return self.of(start), self.of(end - 1) + 1 if end > start else self.of(start)
