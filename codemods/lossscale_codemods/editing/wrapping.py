# SPDX-License-Identifier: Apache-2.0
"""Wraps lines that are too long: behind their last bracket, or else to one item a line.

    opt = LossScaleOptimizer(
        opt, dynamic=False, initial_scale=128
    )

A layout that aligns what is in a bracket with the bracket is kept: it gets one more line.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from typing import TYPE_CHECKING, Final

from lossscale_codemods.editing.logical_lines import LogicalLine, Token, logical_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_MOST_LINES = 50
_PRAGMA = re.compile(r"#\s*(?:noqa|type:|pylint:|pragma|fmt:|compat-lossscale:)")
"""Comments that are about the line on which they stand."""
_CONDITION = ("if", "else")


@dataclasses.dataclass(frozen=True)
class Style:
    """How a file breaks lines.

    Attributes:
        newline: Its newline.
        closes_apart: Whether a bracket that opens at the end of a line closes on one of its own.
    """

    newline: str = "\n"
    closes_apart: bool = True


def wrapped(statement: str, limit: int, style: Style = Style()) -> str:  # frozen
    """Returns a statement with its lines wrapped that are too long, as far as that is possible.

    Args:
        statement: A logical line, with its indentation.
        limit: How long its lines may be.
        style: How the file breaks lines.
    """
    if all(len(row.rstrip("\r")) <= limit for row in statement.split("\n")):
        return statement
    for _ in range(_MOST_LINES):
        (line,) = logical_lines(statement)
        gaps = [statement[a.end : b.start] for a, b in itertools.pairwise(line.tokens)]
        ways = _IN_BRACKETS if any("\\" in gap for gap in gaps) else _WAYS
        rows = (row for row in _rows(statement, line, style) if row.end - row.start > limit)
        rewrapped = next((new for row in rows if (new := _wrapped(row, limit, ways))), None)
        if rewrapped is None:
            return statement
        statement = rewrapped
    return statement


@dataclasses.dataclass(frozen=True)
class _Row:
    """A line of the text, with the tokens `first` to `last` of its statement."""

    text: str
    line: LogicalLine
    style: Style
    start: int
    end: int
    first: int
    last: int

    @property
    def last_inside(self) -> int:
        """The last token before the brackets that close here and were opened in earlier rows."""
        closing = (
            i
            for i in range(self.first, self.last + 1)
            if self.tokens[i].is_close and self.tokens[i].match < self.first
        )
        return next(closing, self.last + 1) - 1

    @property
    def tokens(self) -> Sequence[Token]:
        return self.line.tokens

    @property
    def indentation(self) -> str:
        row = self.text[self.start : self.end]
        return row[: len(row) - len(row.lstrip())]

    @property
    def deeper(self) -> str:
        """The indentation of what hangs from this row."""
        return self.indentation + ("\t" if "\t" in self.indentation else "    ")

    def hanging(self, lines: Sequence[str], closing: str) -> list[str]:
        """Returns lines that hang from this one, with the closing bracket where the file has it."""
        inside = [self.deeper + line for line in lines]
        if self.style.closes_apart:
            return ["", *inside, self.indentation + closing]
        return ["", *inside[:-1], inside[-1].removesuffix(",") + closing]

    def with_lines(self, begin: int, end: int, lines: Sequence[str]) -> str:
        """Returns the statement with lines in the place of a part of it."""
        return self.text[:begin] + self.style.newline.join(lines) + self.text[end:]


def _rows(statement: str, line: LogicalLine, style: Style) -> Iterator[_Row]:
    tokens = line.tokens
    start = 0
    for row in statement.split("\n"):
        end = start + len(row.rstrip("\r"))
        own = [i for i, token in enumerate(tokens) if start <= token.start < end]
        notes = "".join(statement[c:end] for c in line.comments if start <= c < end)
        if own and not (_PRAGMA.search(notes) or any("\n" in tokens[i].text for i in own)):
            yield _Row(statement, line, style, start, end, own[0], own[-1])
        start += len(row) + 1


def _wrapped(
    row: _Row, limit: int, ways: Sequence[Callable[[_Row, int], str | None]]
) -> str | None:
    for way in ways:
        rewrapped = way(row, limit)
        if rewrapped is not None:
            return rewrapped
    return None


def _condition(row: _Row, limit: int) -> str | None:
    """Puts the right side `a if b else c` into parentheses."""
    tokens = row.tokens
    if row.first or row.last != len(tokens) - 1 or any(token.text == ";" for token in tokens):
        return None
    top = [i for i, token in enumerate(tokens) if token.depth == 0]
    begins = [i + 1 for i in top if tokens[i].text == "="]
    if tokens[0].text == "return":
        begins.append(1)
    words = [i for i in top if i and tokens[i].text in _CONDITION]
    if not begins or not words or words[0] < begins[-1]:
        return None
    begin, end = tokens[begins[-1]].start, tokens[-1].end
    lines = [row.text[begin:end]]
    if len(row.deeper) + len(lines[0]) > limit:
        cuts = [begin, *(tokens[i].start for i in words), end]
        lines = [row.text[a:b].rstrip() for a, b in itertools.pairwise(cuts)]
    first, *others = row.hanging(lines, ")")
    return row.with_lines(begin, end, [f"({first}", *others])


def _import(row: _Row, limit: int) -> str | None:
    """Puts what is imported from a module into parentheses, one name a line."""
    del limit
    tokens = row.tokens
    words = [token.text for token in tokens]
    if row.first or words[0] != "from" or "(" in words or "*" in words or ";" in words:
        return None
    begin, end = tokens[words.index("import") + 1].start, tokens[-1].end
    names = [name.strip() for name in row.text[begin:end].split(",")]
    first, *others = row.hanging([f"{name}," for name in names], ")")
    return row.with_lines(begin, end, [f"({first}", *others])


def _items(row: _Row, limit: int) -> str | None:
    """Gives each item of its own line what is the only line between two brackets."""
    del limit
    tokens = row.tokens
    before, behind = row.first - 1, row.last + 1
    if before < 0 or tokens[before].match != behind:
        return None
    pieces = _pieces(row, row.first, row.last)
    if len(pieces) < 2:
        return None
    comma = "," if _takes_comma(row, before) else ""
    lines = [f"{piece}," for piece in pieces[:-1]] + [pieces[-1] + comma]
    glue = row.style.newline + row.indentation
    return row.with_lines(tokens[row.first].start, tokens[row.last].end, [glue.join(lines)])


def _pieces(row: _Row, first: int, last: int) -> list[str]:
    """Returns the items among tokens, without the commas behind them."""
    tokens = row.tokens
    depth = tokens[first].depth
    pieces, begin = [], first
    for index in range(first, last + 1):
        if tokens[index].text == "," and tokens[index].depth == depth:
            pieces.append(row.text[tokens[begin].start : tokens[index - 1].end])
            begin = index + 1
    if begin <= last:
        pieces.append(row.text[tokens[begin].start : tokens[last].end])
    return pieces


def _takes_comma(row: _Row, opening: int) -> bool:
    """Whether a comma behind the last item of a bracket means nothing."""
    tokens = row.tokens
    is_call = opening > 0 and tokens[opening - 1].is_callable
    inside = tokens[opening + 1 : tokens[opening].match]
    top = {token.text for token in inside if token.depth == tokens[opening].depth + 1}
    if tokens[opening].text == "(" and not is_call:
        return "," in top and not top & {"for", "lambda"}  # A tuple.
    return "for" not in top and (tokens[opening].text == "(") == is_call


def _last_bracket(row: _Row, limit: int) -> str | None:
    """Breaks behind the last bracket that opens and closes in the line, and has room there."""
    tokens, last = row.tokens, row.last_inside
    depth = min((token.depth for token in tokens[row.first : last + 1]), default=0)
    pairs = [
        (tokens[i].match, i)
        for i in range(last, row.first, -1)
        if tokens[i].is_close and tokens[i].depth == depth and row.first < tokens[i].match < i - 1
    ]
    if not pairs:
        return None
    fitting = [pair for pair in pairs if tokens[pair[0]].end - row.start <= limit]
    opening, closing = (fitting or pairs)[0]
    begin, end = tokens[opening].end, tokens[closing].end
    inside = row.text[begin : tokens[closing].start].strip()
    return row.with_lines(begin, end, row.hanging([inside], tokens[closing].text))


def _aligned(row: _Row, limit: int) -> str | None:
    """Breaks behind the last comma that fits, and aligns with the bracket or the line."""
    tokens = row.tokens
    opened = [
        i for i in range(row.first, row.last) if tokens[i].is_open and tokens[i].match > row.last
    ]
    if opened:
        depth = tokens[opened[-1]].depth + 1
        first = opened[-1] + 1
        glue = " " * (tokens[opened[-1]].end - row.start)
    else:
        depth = tokens[row.first].depth
        first = row.first
        glue = row.indentation
    fitting = [
        i
        for i in range(first, row.last)
        if tokens[i].text == "," and tokens[i].depth == depth and tokens[i].end - row.start <= limit
    ]
    if depth == 0 or not fitting:
        return None
    at = fitting[-1]
    return row.with_lines(tokens[at].end, tokens[at + 1].start, ["", glue])


_IN_BRACKETS: Final = (_items, _aligned, _last_bracket)
_WAYS: Final = (_condition, _import, *_IN_BRACKETS)
