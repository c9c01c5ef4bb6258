# SPDX-License-Identifier: Apache-2.0
"""Which findings a file's own comments, and the run's options, leave out.

    opt = LossScaleOptimizer(opt, scale)  # compat-lossscale: ignore[LS201]

    # compat-lossscale: ignore[LS201, LS5]
    opt = LossScaleOptimizer(opt, scale)

    # compat-lossscale: ignore-file[LS201]

Without ids, everything is left out. An id also stands for all ids that start with it.
"""

from __future__ import annotations

import dataclasses
import io
import re
import tokenize
from collections.abc import Collection, Sequence
from typing import Final

FORMER_IDS: Final = {
    "LS102": "LS101", "LS105": "LS104", "LS202": "LS201", "LS213": "LS211", "LS214": "LS902",
    "LS222": "LS221", "LS302": "LS301", "LS303": "LS301", "LS304": "LS311", "LS312": "LS311",
    "LS313": "LS311", "LS314": "LS311", "LS315": "LS311", "LS316": "LS311", "LS322": "LS321",
    "LS324": "LS323", "LS325": "LS911", "LS402": "LS401", "LS503": "LS501", "LS803": "LS802",
    "LS904": "LS903", "LS913": "LS911",
}  # fmt: skip
"""Ids of rules that are a part of another rule now."""
IS_OURS = "compat-lossscale:"
"""What a comment that is meant for the codemod has in it."""
_COMMENT = re.compile(r"#\s*compat-lossscale:\s*(ignore(?:-file)?)\b(?:\[([^\]]*)\])?")
EVERYTHING = ("",)


def stands_for(ids: Sequence[str], rule: str) -> bool:
    """Whether a rule is named: by its id, the beginning of its id, or a former id."""
    return rule.startswith(tuple(ids)) or any(FORMER_IDS.get(one) == rule for one in ids)


@dataclasses.dataclass(frozen=True)
class Selection:
    """Which rules a run applies.

    Attributes:
        select: Ids, or beginnings of ids, of the rules to apply; empty for all.
        ignore: Ids, or beginnings of ids, of the rules not to apply.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def applies(self, rule: str) -> bool:
        """Whether a rule is applied."""
        if self.ignore and stands_for(self.ignore, rule):
            return False
        return not self.select or stands_for(self.select, rule)

    def asks_for(self, rule: str) -> bool:
        """Whether a rule is applied and its group, or the rule itself, is named."""
        named = tuple(one for one in self.select if any(map(str.isdigit, one)))
        return bool(named) and stands_for(named, rule) and self.applies(rule)


def split_ids(text: str) -> tuple[str, ...]:
    """Splits a list of ids at its commas. Ids have upper case, whatever is written."""
    return tuple(part.strip().upper() for part in text.split(",") if part.strip())


class Suppressions:
    """What the comments in one file suppress."""

    def __init__(self, text: str) -> None:
        self.whole_file: tuple[str, ...] = ()
        self.lines: dict[int, tuple[str, ...]] = {}
        if IS_OURS not in text:
            return
        lines = text.split("\n")
        for comment in comments(text):
            line, match = comment.start[0], _COMMENT.search(comment.string)
            if match is None:
                continue
            ids = split_ids(match.group(2) or "") or EVERYTHING
            if match.group(1) == "ignore-file":
                self.whole_file += ids
                continue
            self._add(line, ids)
            if lines[line - 1].lstrip().startswith("#"):
                self._add(_next_code_line(lines, line), ids)

    def _add(self, line: int, ids: tuple[str, ...]) -> None:
        self.lines[line] = self.lines.get(line, ()) + ids

    def covers(self, rule: str, lines: Collection[int]) -> bool:
        """Whether a rule's record that touches these lines is suppressed."""
        if self.whole_file and stands_for(self.whole_file, rule):
            return True
        return any(line in self.lines and stands_for(self.lines[line], rule) for line in lines)


def comments(text: str) -> list[tokenize.TokenInfo]:
    """Returns the comments of a program."""
    tokens: list[tokenize.TokenInfo] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                tokens.append(token)
    except (tokenize.TokenError, SyntaxError):
        # It knows less than the parser, for example carriage returns alone; what was read counts.
        pass
    return tokens


def _next_code_line(lines: Sequence[str], line: int) -> int:
    while line < len(lines) and lines[line].lstrip().startswith("#"):
        line += 1
    return line + 1
