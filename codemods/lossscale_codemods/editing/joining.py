# SPDX-License-Identifier: Apache-2.0
"""Joins brackets that hang because the line was too long, and that fit on one line now.

    opt = LossScaleOptimizer(      ->      opt = LossScaleOptimizer(opt)
        opt
    )

Brackets with a comment, with several lines of items, or with a comma at the end, which tells Black
to leave them open, are left.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lossscale_codemods.editing.logical_lines import LogicalLine

_NOT_WITHOUT_PARENTHESES = frozenset({",", ":=", "for", "yield"})


def joined(
    text: str, line: LogicalLine, touched: Sequence[tuple[int, int, int]], limit: int
) -> str:
    """Returns a statement with the brackets joined that an edit touched and that fit.

    Args:
        text: The program.
        line: The statement.
        touched: Where each edit starts and ends, and how much longer it made the statement. What
            got no shorter has no more room than before.
        limit: How long a joined line may be.
    """
    tokens = line.tokens
    gaps = [text[a.end : b.start] for a, b in itertools.pairwise(tokens)]
    if any("\\" in gap for gap in gaps):
        return text[line.start : line.end]
    words = [token.text for token in tokens]
    done = -1
    for first, token in enumerate(tokens):
        last = token.match
        if first <= done or not token.is_open or "\n" not in "".join(gaps[first:last]):
            continue
        begin = text.rfind("\n", 0, token.start) + 1
        own = [g for start, end, g in touched if start <= tokens[last].end and begin <= end]
        if not own or sum(own) >= 0:
            continue
        if not _hangs(line, first, gaps):
            continue
        drops = token.text == "(" and not (first and tokens[first - 1].is_callable)
        if drops and not _is_right_side(line, first):
            continue
        inside = "".join(
            word + ("" if "\n" in gap else gap)
            for word, gap in zip(words[first + 1 : last], gaps[first + 1 : last], strict=True)
        )
        head = text[begin : token.start]
        tail = text[tokens[last].end :].partition("\n")[0].rstrip()
        brackets = 0 if drops else 2
        if len(head) + len(inside) + brackets + len(tail) > limit:
            continue
        for index in range(first, last):
            gaps[index] = "" if "\n" in gaps[index] else gaps[index]
        if drops:
            words[first] = words[last] = ""
        done = last
    return "".join(word + gap for word, gap in zip(words, [*gaps, ""], strict=True))


def _hangs(line: LogicalLine, first: int, gaps: Sequence[str]) -> bool:
    """Whether the lines of a bracket break at brackets only, as those of a long line do."""
    tokens = line.tokens
    last = tokens[first].match
    if any(tokens[first].start < comment < tokens[last].end for comment in line.comments):
        return False
    for index in range(first, last):
        token, following = tokens[index], tokens[index + 1]
        if "\n" in gaps[index] and not (token.is_open or following.is_close):
            return False
        if "\n" in token.text:
            return False
        if (
            token.text == ","
            and following.is_close
            and "\n" in "".join(gaps[following.match : index + 1])
        ):
            return False
    return True


def _is_right_side(line: LogicalLine, first: int) -> bool:
    """Whether parentheses are around all that is assigned, returned or imported, for no need."""
    tokens = line.tokens
    last = tokens[first].match
    inside = tokens[first + 1 : last]
    if not inside or first == 0 or last != len(tokens) - 1:
        return False
    before = tokens[first - 1].text
    needed = any(
        token.text in _NOT_WITHOUT_PARENTHESES and token.depth == tokens[first].depth + 1
        for token in inside
    )
    return before == "import" or (before in {"=", "return"} and not needed)
