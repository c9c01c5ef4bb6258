# SPDX-License-Identifier: Apache-2.0
"""Old names that are only spoken of, in comments, docstrings and other strings.

Many files say old names and use none. For these, Python's own tokens are enough; where strings may
be more than prose, `strings.py` looks at them in the parsed file.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from typing import TYPE_CHECKING

from lossscale_codemods.vocabulary import names
from lossscale_codemods.vocabulary.records import Outcome, Record
from lossscale_codemods.vocabulary.suppression import IS_OURS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from lossscale_codemods.prescan.ast_index import Nodes

RULE = "LS801"
COMMENT, DOCSTRING, STRING = "a comment", "a docstring", "a string"
_PARTS = {getattr(tokenize, name, None) for name in ("FSTRING_MIDDLE", "TSTRING_MIDDLE")}
"""Tokens of Python 3.12 and later; before, an f-string is one token."""
_FIELD = re.compile(r"\{[^{}'\"]*\}")
_NOTHING = "\0"


class CannotTellError(Exception):
    """Only a look at the parsed file can tell."""


def record(line: int, column: int, name: str, kind: str) -> Record:
    """Returns the record of one mention.

    Args:
        line: Its line, from 1.
        column: Its column, from 1, in characters.
        name: What stands there.
        kind: What it stands in.
    """
    return Record(
        rule=RULE,
        outcome=Outcome.MENTIONED,
        line=line,
        column=column,
        name=name,
        message=f"stands in {kind}, which is never edited",
        end_line=line,
        end_column=column + len(name),
    )


def in_comment(comment: tokenize.TokenInfo) -> Iterator[Record]:
    """Yields a record for each old name in a comment."""
    if IS_OURS in comment.string:
        return
    line, column = comment.start
    for match in names.mentions_of_old_names(comment.string):
        yield record(line, column + match.start() + 1, match.group(), COMMENT)


def can_stand(nodes: Nodes, text: str) -> bool:
    """Whether an old name can stand in a comment or a string.

    Args:
        nodes: All nodes of a program.
        text: Its text.
    """
    return names.may_mention_old_name(text) or any(
        isinstance(node.value, str) and _can_hold_old_path(node.value)
        for node in nodes.of(ast.Constant)
    )


def in_program(nodes: Nodes, text: str) -> list[Record]:
    """Returns a record for each old name in the comments and strings of a program.

    Args:
        nodes: All nodes of the program.
        text: Its text.

    Raises:
        CannotTellError: A string may be more than prose, or is not just one token; or lines are
            not what they are for the parser.
    """
    if names.HELPER in text or "\f" in text or "\r" in text.replace("\r\n", ""):
        raise CannotTellError
    lines = text.split("\n")
    docstrings = {
        (value.lineno, value.col_offset, value.end_lineno, value.end_col_offset)
        for node in nodes.of(ast.Expr)
        if isinstance(value := node.value, ast.Constant)
    }
    found: list[Record] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                found.extend(in_comment(token))
            elif token.type == tokenize.STRING:
                found.extend(_in_string(token, lines, docstrings))
            elif token.type in _PARTS:
                found.extend(_in_part(token, lines))
    except (tokenize.TokenError, SyntaxError) as error:
        raise CannotTellError from error
    return found


def _in_string(
    token: tokenize.TokenInfo, lines: Sequence[str], docstrings: Collection[tuple[int | None, ...]]
) -> Iterator[Record]:
    raw = token.string
    if "f" in raw[: raw.index(raw[-1])].lower():
        if names.may_mention_old_name(raw):
            yield from _records(_without_fields(raw), token.start, STRING)
        return
    if names.is_old_path(str(ast.literal_eval(raw))):
        raise CannotTellError
    if names.may_mention_old_name(raw):
        (first, start), (last, end) = token.start, token.end
        span = (first, _bytes(lines[first - 1], start), last, _bytes(lines[last - 1], end))
        yield from _records(raw, token.start, DOCSTRING if span in docstrings else STRING)


def _in_part(token: tokenize.TokenInfo, lines: Sequence[str]) -> Iterator[Record]:
    """Yields a record for each old name in the text between two fields of an f-string."""
    if names.may_mention_old_name(token.string):
        (first, start), (last, end) = token.start, token.end
        # Braces that stand for themselves make a token shorter than its text.
        if first != last or lines[first - 1][start:end] != token.string:
            raise CannotTellError
        yield from _records(token.string, token.start, STRING)


def _records(text: str, start: tuple[int, int], kind: str) -> Iterator[Record]:
    for match in names.mentions_of_old_names(text):
        before = text[: match.start()]
        newlines = before.count("\n")
        column = match.start() - before.rfind("\n") + (0 if newlines else start[1])
        yield record(start[0] + newlines, column, match.group(), kind)


def _without_fields(f_string: str) -> str:
    """Returns an f-string of the same length with nothing in the place of its fields."""
    text = f_string.replace("{{", _NOTHING * 2).replace("}}", _NOTHING * 2)
    text = _FIELD.sub(lambda field: _NOTHING * len(field.group()), text)
    if "{" in text or "}" in text:
        raise CannotTellError
    return text


def _bytes(line: str, column: int) -> int:
    """Returns how many bytes of UTF-8 stand before a column, as syntax trees count."""
    return len(line[:column].encode())


def _can_hold_old_path(text: str) -> bool:
    """Whether a string, which can be several pieces put together, can have an old path in it."""
    return ("experimental" in text or "contrib" in text) and any(
        ("experimental" in word or "contrib" in word)
        and any(part in word for part in ("mixed_precision", "LossScale", "loss_scale"))
        for word in text.split()
    )
