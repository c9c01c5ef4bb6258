# SPDX-License-Identifier: Apache-2.0
"""Keeps lines aligned with the bracket that they are in, where an edit moves the bracket.

    opt = Adam(lr,              ->      opt = legacy.Adam(lr,
               beta_1=0.9)                                beta_1=0.9)

Where there is no room for that, what is in the bracket hangs from its line instead.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from lossscale_codemods.editing.logical_lines import logical_lines
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lossscale_codemods.editing.logical_lines import LogicalLine, Token

_HANGING = 4


def alignment_edits(before: bytes, edits: Sequence[Edit], limit: int) -> list[Edit]:
    """Returns the edits that align lines again.

    Args:
        before: The text before the edits, in UTF-8.
        edits: The edits.
        limit: How long a line may be.

    Raises:
        tokenize.TokenError: The text is no program that the tokenizer reads.
        SyntaxError: The same, from Python 3.12 on.
    """
    text = before.decode("utf-8")
    changes = [_change(before, edit) for edit in dict.fromkeys(edits)]
    changes.sort(key=lambda one: (one.start, one.end))
    newline = "\r\n" if "\r\n" in text else "\n"
    replacements: list[tuple[int, int, str]] = []
    for line in logical_lines(text):
        own = [one for one in changes if line.start <= one.end and one.start <= line.end]
        if own and "\n" in text[line.start : line.end]:
            replacements += _Statement(text, line, own, limit, newline).edits()
    return [
        Edit(len(text[:start].encode()), len(text[:end].encode()), new)
        for start, end, new in replacements
    ]


@dataclasses.dataclass(frozen=True)
class _Change:
    """An edit, in characters.

    Attributes:
        start: Where it starts.
        end: Where it ends.
        growth: How many characters more there are; `None` if lines come or go.
    """

    start: int
    end: int
    growth: int | None


def _reaches_into_indentation(change: _Change, row: _Row) -> bool:
    """Whether a change and one of a row's indentation would collide."""
    is_insertion = change.start == change.end == row.first
    return is_insertion or (change.start < row.first and row.start <= change.end)


def _change(before: bytes, edit: Edit) -> _Change:
    start = len(before[: edit.start].decode("utf-8"))
    old = before[edit.start : edit.end].decode("utf-8")
    is_inside = "\n" not in old and "\n" not in edit.text
    return _Change(start, start + len(old), len(edit.text) - len(old) if is_inside else None)


@dataclasses.dataclass
class _Row:
    """A line of the text.

    Attributes:
        start: Where it starts.
        end: Where it ends.
        first: Where its first character stands that is no space.
        shift: How far it moves to the right.
        hangs_at: What stands from here on gets a line of its own, if anything does.
        hangs_by: How far that moves to the right.
    """

    start: int
    end: int
    first: int
    shift: int = 0
    hangs_at: int | None = None
    hangs_by: int = 0

    @property
    def indentation(self) -> int:
        return self.first - self.start


class _Statement:
    """A statement of several lines.

    Args:
        text: The program.
        line: The statement.
        changes: What is edited in it, in order.
        limit: How long a line may be.
        newline: The program's newline.
    """

    def __init__(
        self, text: str, line: LogicalLine, changes: Sequence[_Change], limit: int, newline: str
    ) -> None:
        self.text = text
        self.tokens = line.tokens
        self.changes = changes
        self.limit = limit
        self.newline = newline
        self.rows = list(self._rows(line))

    def _rows(self, line: LogicalLine) -> Iterator[_Row]:
        start = self.text.rfind("\n", 0, line.start) + 1
        while start < line.end:
            behind = self.text.find("\n", start)
            end = behind if behind >= 0 else len(self.text)
            row = self.text[start:end]
            yield _Row(start, start + len(row.rstrip()), start + len(row) - len(row.lstrip()))
            start = end + 1

    def edits(self) -> Iterator[tuple[int, int, str]]:
        """Yields the edits, in characters."""
        while self._hangs_more():
            pass
        for row in self.rows:
            if row.hangs_at is not None:
                indentation = " " * (row.indentation + row.shift + _HANGING)
                blank = len(self.text[: row.hangs_at]) - len(self.text[: row.hangs_at].rstrip(" "))
                yield row.hangs_at - blank, row.hangs_at, self.newline + indentation
            if row.shift and not any(_reaches_into_indentation(c, row) for c in self.changes):
                yield row.start, row.first, " " * (row.indentation + row.shift)

    def _hangs_more(self) -> bool:
        """Moves the rows; returns whether that made one more bracket hang, which moves others."""
        for number, row in enumerate(self.rows[1:], 1):
            bracket = self._bracket_around(row.first)
            if bracket is None or row.first >= row.end or not self._is_indented(row):
                continue
            home = self._row_of(self.tokens[bracket])
            row.shift = home.shift
            inside = self.tokens[bracket + 1].start
            if inside < home.end and inside - home.start == row.indentation:
                moved = self._moved(home, inside)
                if moved and home.hangs_at is None and not self._fit(bracket, home, number, moved):
                    home.hangs_at = inside
                    home.hangs_by = home.indentation + home.shift + _HANGING - row.indentation
                    return True
                row.shift = moved or 0
        return False

    def _is_indented(self, row: _Row) -> bool:
        """Whether a row is indented by spaces, and is not the middle of a string."""
        is_text = any(token.start < row.first < token.end for token in self.tokens)
        return not is_text and "\t" not in self.text[row.start : row.first]

    def _row_of(self, token: Token) -> _Row:
        return next(row for row in reversed(self.rows) if row.start <= token.start)

    def _bracket_around(self, position: int) -> int | None:
        """Returns the innermost bracket that is open at a position."""
        opened: list[int] = []
        for index, token in enumerate(self.tokens):
            if token.start >= position:
                break
            if token.is_open:
                opened.append(index)
            elif token.is_close and opened:
                opened.pop()
        return opened[-1] if opened else None

    def _moved(self, row: _Row, position: int) -> int | None:
        """Returns how far a position of a row moves to the right, if that is known."""
        if row.hangs_at is not None and position >= row.hangs_at:
            return row.hangs_by
        growth = row.shift
        for change in self.changes:
            if row.start <= change.end <= position and change.start < position:
                if change.growth is None or change.start < row.start:
                    return None
                growth += change.growth
        return growth

    def _fit(self, bracket: int, home: _Row, number: int, moved: int) -> bool:
        """Whether the lines that are aligned with a bracket fit, and the one that opens it."""
        last = self.tokens[self.tokens[bracket].match].end
        own = self._moved(home, home.end)
        aligned = [
            row
            for row in self.rows[number:]
            if row.start < last and row.indentation == self.rows[number].indentation
        ]
        lengths = [row.end - row.start + moved for row in aligned]
        lengths.append(home.end - home.start + (own or 0))
        return max(lengths) <= self.limit
