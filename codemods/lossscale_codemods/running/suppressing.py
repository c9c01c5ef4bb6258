# SPDX-License-Identifier: Apache-2.0
"""Writes comments that suppress all findings of today, so that only new ones count from then on."""

from __future__ import annotations

import ast
import collections
import dataclasses
import io
import re
import tokenize
from typing import TYPE_CHECKING

from lossscale_codemods.running.file_task import migrate_apart
from lossscale_codemods.source.reading import text_of
from lossscale_codemods.tables.records import Outcome, Result, Status

if TYPE_CHECKING:
    from pathlib import Path

    from lossscale_codemods.tables.options import Options
    from lossscale_codemods.tables.records import Record


_OPEN = (Outcome.REWRITTEN, Outcome.NEEDS_REVIEW)
_OURS = re.compile(rb"compat-lossscale:\s*ignore\[([^\]]*)\]\s*$")
_LAYOUT = (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT)


_ROUNDS = 4
"""What is suppressed can be a reason for another finding, at a line before it."""


def suppressed(path: Path, result: Result, options: Options) -> Result:
    """Returns what becomes of a file if comments suppress what a migration finds in it.

    Args:
        path: The file.
        result: What a migration makes of it. Notebooks and files that were not understood stay.
        options: What the migration was asked to do.
    """
    if result.status in (Status.UNREADABLE, Status.REFUSED) or not _open(result):
        return result
    now = result
    for _ in range(_ROUNDS):
        rules: dict[int, set[str]] = collections.defaultdict(set)
        for record in _open(now):
            rules[record.line].add(record.rule)
        is_notebook = any(record.cell is not None for record in now.records)
        after = now.source if is_notebook else _with_comments(now.source, rules)
        if after == now.source or not _same_program(now.source, after):
            return dataclasses.replace(
                result,
                output=result.source,
                status=Status.UNCHANGED,
                records=_for_a_person(result),
                changed_names=(),
            )
        now = migrate_apart(path, after, options)
        if not _open(now):
            break
    return dataclasses.replace(
        now, source=result.source, output=now.source, status=Status.CHANGED, changed_names=()
    )


def _open(result: Result) -> list[Record]:
    return [one for one in result.records if one.outcome in _OPEN]


def _for_a_person(result: Result) -> tuple[Record, ...]:
    return tuple(
        dataclasses.replace(
            one,
            outcome=Outcome.NEEDS_REVIEW,
            message="no comment can be written here",
            advice="Suppress it by hand, or exclude the file.",
            edits=(),
            unsafe=False,
        )
        if one.outcome in _OPEN
        else one
        for one in result.records
    )


def _with_comments(source: bytes, rules: dict[int, set[str]]) -> bytes:
    lines = source.split(b"\n")
    try:
        ends, starts = _rows(text_of(source))
    except (tokenize.TokenError, SyntaxError):
        return source
    # From the end on, because a comment on a line of its own moves those below.
    for row in sorted(rules, reverse=True):
        place = row if row in ends else starts.get(row, row)
        line = lines[place - 1]
        newline = b"\r" if line.endswith(b"\r") else b""
        ours = _OURS.search(line) if row in ends else None
        ids = set(rules[row])
        if ours is not None:
            ids.update(one.strip() for one in ours[1].decode("ascii", "replace").split(","))
        comment = f"# compat-lossscale: ignore[{', '.join(sorted(ids))}]".encode() + newline
        if ours is not None:
            lines[place - 1] = line[: line.rindex(b"#")] + comment
        elif row in ends:
            lines[place - 1] = line.rstrip() + b"  " + comment
        else:
            indentation = line[: len(line) - len(line.lstrip())]
            lines.insert(place - 1, indentation + comment)
    return b"\n".join(lines)


def _rows(text: str) -> tuple[set[int], dict[int, int]]:
    """Returns the rows that a comment can end, and for each row the first one of its statement."""
    ends: set[int] = set()
    starts: dict[int, int] = {}
    first: int | None = None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.NEWLINE, tokenize.NL):
            ends.add(token.start[0])
        if first is None and token.type not in _LAYOUT:
            first = token.start[0]
        if token.type == tokenize.NEWLINE and first is not None:
            starts.update(dict.fromkeys(range(first, token.start[0] + 1), first))
            first = None
    return ends, starts


def _same_program(before: bytes, after: bytes) -> bool:
    try:
        return ast.dump(ast.parse(before)) == ast.dump(ast.parse(after))
    except (SyntaxError, ValueError, RecursionError):
        return False
