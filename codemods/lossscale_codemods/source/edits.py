# SPDX-License-Identifier: Apache-2.0
"""Edits that keep the layout: of statements, list items, arguments and comments.

A `PositionMap` maps what has been edited to where it was, so that findings name lines of the file.
"""

from __future__ import annotations

import bisect
import dataclasses
import re
from collections.abc import Iterable, Sequence

import libcst as cst

from lossscale_codemods.source.syntax_tree import Tree
from lossscale_codemods.tables.options import IS_OURS, comments
from lossscale_codemods.tables.records import Edit, Record

_TO_TOOLS = re.compile(r"#\s*(isort|mypy|noqa|pragma|pylint|pyright|type)\s*(:|$)")
"""What a comment about its own line only starts with."""


class OverlappingEditsError(Exception):
    """Two edits want to change the same text."""


def apply_edits(text: bytes, edits: Sequence[Edit]) -> bytes:
    """Returns the text with all edits made.

    Raises:
        OverlappingEditsError: Two different edits overlap.
    """
    parts: list[bytes] = []
    position, before = 0, None
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        if edit == before and edit.start < edit.end:
            continue
        before = edit
        if edit.start < position:
            raise OverlappingEditsError(text[edit.start : edit.end].decode("utf-8", "replace"))
        parts += [text[position : edit.start], edit.text.encode("utf-8")]
        position = edit.end
    return b"".join([*parts, text[position:]])


def small_statement(tree: Tree, node: cst.CSTNode) -> cst.BaseSmallStatement | None:
    """Returns the simple statement that a node is in."""
    current: cst.CSTNode | None = node
    while current is not None and not isinstance(current, cst.BaseSmallStatement):
        if isinstance(current, cst.BaseCompoundStatement):
            return None
        current = tree.parent(current)
    return current


def remove_statement(
    tree: Tree, statement: cst.BaseSmallStatement, removed: Sequence[cst.CSTNode] = ()
) -> list[Edit]:
    """Returns the edits that take out one simple statement, and keep its comments.

    With others that are `removed` as well, a block can get empty, and then has a `pass`.
    """
    start, end = tree.span(statement)
    line = tree.parent(statement)
    if not isinstance(line, cst.SimpleStatementLine | cst.SimpleStatementSuite):
        return [Edit(start, end, "pass")]
    index = list(line.body).index(statement)
    staying = [i for i, s in enumerate(line.body) if s is not statement and s not in removed]
    if staying:
        if staying[0] < index:
            return [Edit(tree.span(line.body[index - 1])[1], end, "")]
        return [Edit(start, tree.span(line.body[index + 1])[0], "")]
    if index:
        return []  # The edit for the first takes out the whole line.
    tried = _tried_for_nothing(tree, line, removed)
    if tried is not None:
        return [_without(tree, tried)]  # The same edit for each statement in it.
    end = tree.span(line.body[-1])[1]
    if isinstance(line, cst.SimpleStatementSuite) or _is_alone(tree, line, removed):
        return [Edit(start, end, "pass")]
    line_start, line_end = tree.line_start(start), tree.line_end(max(end - 1, start))
    trailing = tree.slice((end, line_end)).strip()
    if trailing.startswith("#") and not _TO_TOOLS.match(trailing):
        comment = end + tree.slice((end, line_end)).index("#")
        return [Edit(start, comment, "")]
    return [Edit(line_start, line_end, "")]


def _tried_for_nothing(
    tree: Tree, line: cst.CSTNode, removed: Sequence[cst.CSTNode]
) -> cst.Try | None:
    """Returns the `try` statement around a line that is to go, if nothing else is in it."""
    block = tree.parent(line)
    tried = tree.parent(block) if block is not None else None
    if not isinstance(tried, cst.Try) or tried.body is not block or tried.orelse or tried.finalbody:
        return None
    gone = {tree.parent(node) for node in removed} | {line}
    handled = [one for h in tried.handlers for part in h.body.body for one in _small(part)]
    if any(other not in gone for other in tried.body.body):
        return None
    return tried if all(isinstance(one, cst.Pass) for one in handled) else None


def _without(tree: Tree, statement: cst.Try) -> Edit:
    """Returns the edit that takes out a statement; a block that would be empty gets a `pass`."""
    start, end = tree.span(statement)
    around = tree.parent(statement)
    if isinstance(around, cst.IndentedBlock) and len(around.body) == 1:
        return Edit(start, end, "pass")
    return Edit(tree.line_start(start), tree.line_end(max(end - 1, start)), "")


def _small(statement: cst.CSTNode) -> Sequence[cst.CSTNode]:
    return statement.body if isinstance(statement, cst.SimpleStatementLine) else [statement]


def close_gaps(text: bytes, edits: Sequence[Edit]) -> list[Edit]:
    """Returns edits that take out lines, with the blank lines that would be too many without them.

    Where blank lines are on both sides of what goes, the longer gap stays. At the start of a file
    or of a block, none stays.
    """
    joined: list[Edit] = []
    for edit in sorted(edits, key=lambda one: (one.start, one.end)):
        last = joined[-1] if joined else None
        if last is not None and last.end == edit.start and not (last.text or edit.text):
            joined[-1] = Edit(last.start, edit.end, "")
        elif edit != last:
            joined.append(edit)
    return [_with_gap(text, edit) for edit in joined]


def _with_gap(text: bytes, edit: Edit) -> Edit:
    before, behind = text[: edit.start], text[edit.end :]
    is_whole = before[-1:] in (b"", b"\n", b"\r") and text[: edit.end][-1:] in (b"\n", b"\r")
    if edit.text or not is_whole or edit.start == edit.end:
        return edit
    above, below = before.splitlines(), behind.splitlines(keepends=True)
    gap = next((n for n, line in enumerate(below) if line.strip()), 0)
    room = next((n for n, line in enumerate(reversed(above)) if line.strip()), len(above))
    if room == 0 and above and not above[-1].rstrip().endswith(b":"):
        return edit
    at_start = room == 0 or room == len(above)
    count = gap if at_start else min(gap, room)
    return Edit(edit.start, edit.end + sum(map(len, below[:count])), "")


def _is_alone(tree: Tree, line: cst.SimpleStatementLine, removed: Sequence[cst.CSTNode]) -> bool:
    block = tree.parent(line)
    if not isinstance(block, cst.IndentedBlock):
        return False
    gone = {tree.parent(node) for node in removed} | {line}
    if any(other not in gone for other in block.body):
        return False
    first = next(other for other in block.body if other in gone)
    return first is line


def remove_item(
    tree: Tree, items: Sequence[cst.CSTNode], gone: Sequence[cst.CSTNode]
) -> list[Edit]:
    """Returns the edits that take items out of a comma-separated list, keeping comments."""
    edits: list[Edit] = []
    spans = [tree.span(item) for item in items]
    for index, (start, end) in enumerate(spans):
        if items[index] not in gone:
            continue
        end_before = spans[index - 1][1] if index else start
        has_comment = b"#" in tree.text[end_before:start]
        if not has_comment and any(item not in gone for item in items[:index]):
            edits.append(Edit(end_before, end, ""))
        elif index + 1 < len(items) and not has_comment:
            edits.append(Edit(start, spans[index + 1][0], ""))
        else:
            behind = _behind_comma(tree, end)
            first, last = tree.line_start(start), tree.line_end(behind)
            is_alone = not (tree.text[first:start] + tree.text[behind:last]).strip()
            edits.append(Edit(first, last, "") if is_alone else Edit(start, behind, ""))
    return edits


def _behind_comma(tree: Tree, end: int) -> int:
    behind = tree.text[end:].lstrip(b" \t")
    return len(tree.text) - len(behind[1:].lstrip(b" ")) if behind.startswith(b",") else end


def replace_argument(tree: Tree, call: cst.Call, old: cst.Arg, new: Sequence[str]) -> list[Edit]:
    """Returns the edits that put new arguments in the place of one, in the call's own layout."""
    start, end = tree.span(old)
    if not new:
        return remove_item(tree, call.args, [old])
    separator = argument_separator(tree, call, old)
    text, kept = separator.join(new), tree.source(old.value)
    if text.count(kept) == 1 and not isinstance(old.value, cst.Name | cst.BaseNumber):
        # What stays as it is may have changes, and comments, in it.
        front, _, behind = text.partition(kept)
        value_start, value_end = tree.full_span(old.value)
        return [Edit(start, value_start, front), Edit(value_end, end, behind)]
    return [Edit(start, end, text)]


def append_arguments(tree: Tree, call: cst.Call, new: Sequence[str]) -> list[Edit]:
    """Returns the edit that puts arguments behind those of a call, in the call's own layout."""
    if not call.args:
        place = tree.span(call)[1] - 1
        return [Edit(place, place, ", ".join(new))]
    end = tree.span(call.args[-1])[1]
    separator = argument_separator(tree, call, call.args[-1])
    return [Edit(end, end, "".join(f"{separator}{text}" for text in new))]


def argument_separator(tree: Tree, call: cst.Call, argument: cst.Arg) -> str:
    """Returns what is between arguments of a call, in the call's own layout."""
    start = tree.span(argument)[0]
    own_line = not tree.text[tree.line_start(start) : start].strip()
    if len(call.args) == 1 and not isinstance(argument.comma, cst.Comma):
        return ", "  # What is wrapped behind its bracket has all its items on one line.
    if own_line and b"\n" in tree.text[tree.span(call.func)[1] : start]:
        return "," + tree.newline + tree.indentation(start)
    return ", "


def insert_line_behind(tree: Tree, statement: cst.CSTNode, text: str) -> list[Edit]:
    """Returns the edit that adds a line behind the line of a statement."""
    start, end = tree.span(statement)
    indent = tree.indentation(start)
    offset = tree.line_end(max(end - 1, start))
    glue = "" if tree.text[:offset].endswith((b"\n", b"\r")) else tree.newline
    return [Edit(offset, offset, f"{glue}{indent}{text}{tree.newline}")]


def kept_comments(tree: Tree, edits: Sequence[Edit]) -> list[Edit]:
    """Returns the edits that keep the comments which other edits take out."""
    replacing = [e for e in edits if b"#" in tree.text[e.start : e.end]]
    if not replacing:
        return []
    kept = []
    for comment in comments(tree.code):
        offset = tree.offset(comment.start[0], comment.start[1] + 1)
        edit = next((e for e in replacing if e.start <= offset < e.end), None)
        if edit is None or comment.string in edit.text or IS_OURS in comment.string:
            continue
        if not edit.text and _TO_TOOLS.match(comment.string):
            continue
        start = tree.line_start(_statement_start(tree, edit.start))
        line = f"{tree.indentation(start)}{comment.string}{tree.newline}"
        kept.append(Edit(start, start, line))
    return kept


def _statement_start(tree: Tree, offset: int) -> int:
    """Returns where the innermost statement around an offset starts."""
    statements = cst.SimpleStatementLine | cst.BaseCompoundStatement
    starts = [
        tree.span(node)[0]
        for node in tree.parents
        if isinstance(node, statements) and tree.span(node)[0] <= offset < tree.span(node)[1]
    ]
    return max(starts, default=offset)


class PositionMap:
    """What has been done to a text, edit after edit."""

    def __init__(self) -> None:
        self._steps: list[list[tuple[int, int]]] = []
        """For each edit: where each part of the text starts, and where it started before."""

    def add(self, edits: Iterable[Edit]) -> None:
        """Notes edits that were made together; what they wrote stands where they begin."""
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
        """Returns a record of the text as it is now as one of the text as it was at first."""
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
