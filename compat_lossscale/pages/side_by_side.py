# SPDX-License-Identifier: Apache-2.0
"""Two versions of a text side by side: the places where they differ, with some context."""

from __future__ import annotations

import dataclasses
import difflib
import itertools
import re

from markupsafe import Markup

from compat_lossscale.pages.page import Piece, Span, as_html, lines_of, text_of

CONTEXT = 3
"""Lines shown before and after a change."""
_ALIKE = 0.35
"""Changed words are marked only in lines that are at least this similar."""


@dataclasses.dataclass(frozen=True)
class Line:
    """A line with its number, from 1."""

    number: int
    html: Markup


@dataclasses.dataclass(frozen=True)
class Row:
    """A row: the old and the new line. A side is `None` if only the other version has a line."""

    left: Line | None
    right: Line | None
    changed: bool


def hunks(before: str, after: str, language: str) -> list[list[Row]]:
    """Returns the places where two texts differ, each as rows from top to bottom.

    Args:
        before: The old text.
        after: The new text.
        language: The language of both, a name that Pygments knows.
    """
    old, new = lines_of(before, language), lines_of(after, language)
    matcher = difflib.SequenceMatcher(
        None, [text_of(line) for line in old], [text_of(line) for line in new]
    )
    blocks = []
    for group in matcher.get_grouped_opcodes(CONTEXT):
        rows: list[Row] = []
        for tag, i1, i2, j1, j2 in group:
            pairs = itertools.zip_longest(range(i1, i2), range(j1, j2))
            rows += [_row(old, new, i, j, changed=tag != "equal") for i, j in pairs]
        blocks.append(rows)
    return blocks


def _row(
    old: list[list[Piece]], new: list[list[Piece]], i: int | None, j: int | None, *, changed: bool
) -> Row:
    marked: tuple[list[Span], list[Span]] = ([], [])
    if changed and i is not None and j is not None:
        marked = _changed_words(text_of(old[i]), text_of(new[j]))
    return Row(
        None if i is None else Line(i + 1, as_html(old[i], marked[0])),
        None if j is None else Line(j + 1, as_html(new[j], marked[1])),
        changed,
    )


def _changed_words(before: str, after: str) -> tuple[list[Span], list[Span]]:
    old, new = (re.findall(r"\w+|\s+|.", text) for text in (before, after))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return [], []
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return (
        [_span(old, i1, i2) for _, i1, i2, _, _ in changes if i1 < i2],
        [_span(new, j1, j2) for _, _, _, j1, j2 in changes if j1 < j2],
    )


def _span(words: list[str], first: int, last: int) -> Span:
    start = sum(map(len, words[:first]))
    return start, start + sum(map(len, words[first:last]))
