# SPDX-License-Identifier: Apache-2.0
"""Lays out the statements that were edited as Black would: joined where they fit, else wrapped.

What is laid out is kept only if it is the same program with the same comments.
"""

from __future__ import annotations

import ast
import dataclasses
import itertools
import tokenize
from typing import TYPE_CHECKING

from lossscale_codemods.editing.aligning import alignment_edits
from lossscale_codemods.editing.edits import apply_edits
from lossscale_codemods.editing.joining import joined
from lossscale_codemods.editing.logical_lines import logical_lines
from lossscale_codemods.editing.wrapping import Style, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lossscale_codemods.editing.line_limits import LineLimits
    from lossscale_codemods.editing.logical_lines import LogicalLine
    from lossscale_codemods.vocabulary.records import Edit

_ERRORS = (tokenize.TokenError, SyntaxError, ValueError, RecursionError, MemoryError)


@dataclasses.dataclass(frozen=True)
class _Touched:
    """What an edit made, in characters of the edited text.

    Attributes:
        start: Where it starts.
        end: Where it ends.
        longest: The length of the longest line that it was on.
        growth: How much longer it made its statement, if that were one line.
    """

    start: int
    end: int
    longest: int
    growth: int


def laid_out(before: bytes, edits: Sequence[Edit], limits: LineLimits) -> bytes:
    """Returns an edited text in which the statements that were edited are laid out.

    Args:
        before: The text before the edits, in UTF-8.
        edits: The edits.
        limits: How long its lines may be.
    """
    after = apply_edits(before, edits)
    try:
        aligning = alignment_edits(before, edits, limits.longest)
        text = apply_edits(before, [*edits, *aligning]).decode("utf-8")
        result = _laid_out(text, list(_touched(before, edits, aligning)), limits)
        same = _content(result) == _content(after.decode("utf-8"))
    except _ERRORS:
        return after
    return result.encode("utf-8") if same else after


def _laid_out(text: str, touched: Sequence[_Touched], limits: LineLimits) -> str:
    parts, position = [], 0
    lines = list(logical_lines(text))
    style = Style("\r\n" if "\r\n" in text else "\n", _closes_apart(text, lines))
    for line in lines:
        own = [one for one in touched if one.start < line.end and line.start < one.end]
        if not own:
            continue
        start = text.rfind("\n", 0, line.start) + 1
        statement = joined(
            text, line, [(one.start, one.end, one.growth) for one in own], limits.joined
        )
        longest = max(limits.longest, *(one.longest for one in own))
        statement = wrapped(text[start : line.start] + statement, longest, style)
        parts += [text[position:start], statement]
        position = line.end
    return "".join([*parts, text[position:]])


def _closes_apart(text: str, lines: Sequence[LogicalLine]) -> bool:
    """Whether most brackets that open at the end of a line close on one of their own."""
    apart = 0
    for line in lines:
        for token, inside in itertools.pairwise(line.tokens):
            if token.is_open and token.match > 0 and "\n" in text[token.end : inside.start]:
                last = line.tokens[token.match - 1]
                on_its_own = "\n" in text[last.end : line.tokens[token.match].start]
                apart += 1 if on_its_own else -1
    return apart >= 0


def _touched(before: bytes, edits: Sequence[Edit], aligning: Sequence[Edit]) -> Iterator[_Touched]:
    shift, last = 0, None
    for edit in sorted([*edits, *aligning], key=lambda e: (e.start, e.end)):
        if edit == last and edit.start < edit.end:
            continue  # Made once, as `apply_edits` does.
        last = edit
        start = len(before[: edit.start].decode("utf-8")) + shift
        old = before[edit.start : edit.end].decode("utf-8")
        shift += len(edit.text) - len(old)
        if edit in aligning:
            continue
        first = before.rfind(b"\n", 0, edit.start) + 1
        behind = before.find(b"\n", edit.end)
        lines = before[first : behind if behind >= 0 else None].decode("utf-8").split("\n")
        is_new_line = edit.start == edit.end == first
        longest = 0 if is_new_line else max(len(line.rstrip()) for line in lines)
        growth = _length_as_one_line(edit.text) - _length_as_one_line(old)
        yield _Touched(start, start + len(edit.text), longest, growth)


def _length_as_one_line(text: str) -> int:
    return sum(
        len(line.strip()) if index else len(line) for index, line in enumerate(text.split("\n"))
    )


def _content(text: str) -> tuple[str, list[str]]:
    """Returns what has to stay the same: the program, and its comments in order."""
    comments = [
        text[start:].partition("\n")[0].rstrip()
        for line in logical_lines(text)
        for start in line.comments
    ]
    return ast.dump(ast.parse(text)), comments
