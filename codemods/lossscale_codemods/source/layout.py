# SPDX-License-Identifier: Apache-2.0
"""Joins a bracket that hangs and fits on one line now, and hangs one whose line got too long.

    opt = LossScaleOptimizer(      <->      opt = LossScaleOptimizer(opt)
        opt
    )

Only statements that an edit touched are laid out. All else is left to the user's formatter. What is
laid out is kept only if it is the same program with the same comments.
"""

from __future__ import annotations

import ast
import dataclasses
import io
import keyword
import tokenize
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from lossscale_codemods.source.edits import apply_edits
from lossscale_codemods.tables.records import Edit

LINE_LENGTH: Final = 88
"""The limit of Black and ruff."""
_ERRORS = (tokenize.TokenError, SyntaxError, ValueError, RecursionError, MemoryError)
_LAYOUT = frozenset(
    {tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER}
)
_MOST_CHANGES = 20


def laid_out(before: bytes, edits: Sequence[Edit], line_length: int | None) -> bytes:
    """Returns an edited text, in UTF-8, in which the statements that were edited are laid out.

    Lines that are longer than `line_length` are hung, if there is one.
    """
    after = apply_edits(before, edits)
    if after == before:
        return before
    try:
        text = after.decode("utf-8")
        touched, old = (
            list(_touched(before, edits)),
            {*map(str.rstrip, before.decode("utf-8").split("\n"))},
        )
        parts, position = [], 0
        for statement in _statements(text):
            own = [t for t in touched if t.start < statement.end and statement.start < t.end]
            if own:
                made = _laid_out(statement, own, line_length, old)
                parts += [text[position : statement.start], made]
                position = statement.end
        result = "".join([*parts, text[position:]])
        same = _content(result) == _content(text)
    except _ERRORS:
        return after
    return result.encode("utf-8") if same else after


@dataclasses.dataclass(frozen=True)
class _Touched:
    """What an edit made, in characters of the edited text.

    Attributes:
        start: Where it starts.
        end: Where it ends.
        longest: The length of the longest line that it was on.
        growth: By how much it is longer than what it replaces, without line breaks.
    """

    start: int
    end: int
    longest: int
    growth: int


def _touched(before: bytes, edits: Sequence[Edit]) -> Iterator[_Touched]:
    shift = 0
    for edit in sorted(dict.fromkeys(edits), key=lambda one: (one.start, one.end)):
        start = len(before[: edit.start].decode("utf-8")) + shift
        old = before[edit.start : edit.end].decode("utf-8")
        shift += len(edit.text) - len(old)
        first = before.rfind(b"\n", 0, edit.start) + 1
        behind = before.find(b"\n", edit.end)
        lines = before[first : behind if behind >= 0 else None].decode("utf-8").split("\n")
        is_new_line = edit.start == edit.end == first
        longest = 0 if is_new_line else max(len(line.rstrip()) for line in lines)
        growth = _length(edit.text) - _length(old)
        yield _Touched(start, start + len(edit.text), longest, growth)


def _length(text: str) -> int:
    first, *others = text.split("\n")
    return len(first) + sum(len(line.strip()) for line in others)


@dataclasses.dataclass(frozen=True)
class _Token:
    """A token of a statement, with where it starts and ends in the text."""

    text: str
    start: int
    end: int


@dataclasses.dataclass(frozen=True)
class _Statement:
    """A simple statement, or the first line of a compound one.

    Attributes:
        text: The whole text.
        tokens: Its tokens.
        comments: Where comments in it start.
        pairs: The tokens of its brackets: where each opens, and where it closes.
    """

    text: str
    tokens: Sequence[_Token]
    comments: Sequence[int]
    pairs: Sequence[tuple[int, int]]

    @property
    def start(self) -> int:
        return self.tokens[0].start

    @property
    def end(self) -> int:
        return self.tokens[-1].end

    def row(self, position: int) -> tuple[int, int]:
        """Returns where the line of a position starts and ends."""
        end = self.text.find("\n", position)
        start = self.text.rfind("\n", 0, position) + 1
        return start, start + len(self.text[start : end if end >= 0 else None].rstrip())


def _statements(text: str) -> Iterator[_Statement]:
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    tokens: list[_Token] = []
    comments: list[int] = []
    opened: list[int] = []
    pairs: list[tuple[int, int]] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        start = starts[token.start[0] - 1] + token.start[1]
        end = starts[token.end[0] - 1] + token.end[1]
        if token.type == tokenize.COMMENT:
            comments.append(start)
        elif token.type == tokenize.NEWLINE:
            if tokens:
                yield _Statement(text, tokens, comments, pairs)
            tokens, comments, opened, pairs = [], [], [], []
        elif token.type not in _LAYOUT:
            if token.type == tokenize.OP and token.string in {"(", "[", "{"}:
                opened.append(len(tokens))
            elif token.type == tokenize.OP and token.string in {")", "]", "}"} and opened:
                pairs.append((opened.pop(), len(tokens)))
            tokens.append(_Token(text[start:end], start, end))


def _laid_out(
    statement: _Statement,
    touched: Sequence[_Touched],
    line_length: int | None,
    old: Collection[str],
) -> str:
    """Returns the text of a statement, joined where it fits, else hung where it got too long."""
    joined = _joined(statement, touched)
    if (
        line_length is None
        or "#" in statement.text[statement.end : statement.row(statement.end)[1]]
    ):
        return joined  # A comment behind it can be about its line.
    indentation = statement.text[statement.row(statement.start)[0] : statement.start]
    longest = max(line_length, *(one.longest for one in touched))
    hung = indentation + joined
    for _ in range(_MOST_CHANGES):
        more = _hung(hung, longest, old, "\r\n" if "\r\n" in statement.text else "\n")
        if more is None:
            break
        hung = more
    return hung.removeprefix(indentation)


def _joined(statement: _Statement, touched: Sequence[_Touched]) -> str:
    """Joins the brackets that an edit made shorter, the outermost first, as far as they fit."""
    text, tokens = statement.text, statement.tokens
    if "\\\n" in text[statement.start : statement.end]:
        return text[statement.start : statement.end]
    parts, position = [], statement.start
    for first, last in sorted(statement.pairs):
        opening, closing = tokens[first], tokens[last]
        begin = statement.row(opening.start)[0]
        own = [t.growth for t in touched if t.start <= closing.end and begin <= t.end]
        if opening.start < position or sum(own) >= 0 or not _hangs(statement, first, last):
            continue
        inside = _on_one_line(statement, first, last)
        tail = text[closing.start : statement.row(closing.start)[1]]
        if len(text[begin : opening.end]) + len(inside) + len(tail) > LINE_LENGTH:
            continue
        # What is imported needs no parentheses on one line.
        is_import = tokens[first - 1].text == "import"
        parts += [text[position : opening.start if is_import else opening.end], inside]
        position = closing.end if is_import else closing.start
    return "".join([*parts, text[position : statement.end]])


def _hangs(statement: _Statement, first: int, last: int) -> bool:
    """Whether the lines in a bracket break at brackets only, and nothing says that they must."""
    text, tokens = statement.text, statement.tokens
    opening, closing = tokens[first], tokens[last]
    if first + 1 == last or (opening.text == "(" and not _is_behind(tokens, first)):
        return False
    if any(opening.start < comment < closing.end for comment in statement.comments):
        return False
    if any("\n" in token.text for token in tokens[first:last]):
        return False
    ends = {tokens[i].end for i, _ in statement.pairs}
    starts = {tokens[i].start for _, i in statement.pairs}
    inside = range(first, last)
    gaps = [(tokens[i], tokens[i + 1]) for i in inside]
    broken = [(a, b) for a, b in gaps if "\n" in text[a.end : b.start]]
    return bool(broken) and all(
        a.end in ends or (b.start in starts and a.text != ",") for a, b in broken
    )


def _is_behind(tokens: Sequence[_Token], first: int) -> bool:
    """Whether a bracket is behind a value: around arguments or a subscript, or names to import."""
    before = tokens[first - 1].text if first else "="
    is_name = before.isidentifier() and not keyword.iskeyword(before)
    return is_name or before == "import" or before[-1] in ")]"


def _on_one_line(statement: _Statement, first: int, last: int) -> str:
    text, tokens = statement.text, statement.tokens
    gaps = [text[tokens[i].end : tokens[i + 1].start] for i in range(first, last)]
    words = [token.text for token in tokens[first + 1 : last]]
    parts = ["" if "\n" in gaps[0] else gaps[0]]
    for word, gap in zip(words, gaps[1:], strict=True):
        parts += [word, "" if "\n" in gap else gap]
    return "".join(parts)


def _hung(text: str, longest: int, old: Collection[str], newline: str) -> str | None:
    """Hangs the longest bracket of a line that is too long; nothing if there is none.

    If the line is all that is in a bracket that hangs, each argument gets a line instead. Lines
    that were there before the edits may be longer.
    """
    (statement,) = _statements(text + "\n")
    tokens = statement.tokens
    by_length = sorted(statement.pairs, key=lambda p: tokens[p[0]].end - tokens[p[1]].start)
    for first, last in by_length:
        opening, closing = tokens[first], tokens[last]
        start, end = statement.row(tokens[first + 1].start)
        has_comment = any(start <= comment < end for comment in statement.comments)
        row = text[start:end]
        is_right = end - start <= longest or row in old
        if is_right or has_comment or _is_behind(tokens, first) != (opening.text == "("):
            continue  # Joining parentheses around a value changes more, and subscripts read badly.
        indentation = row[: len(row) - len(row.lstrip())]
        if opening.end < start and end < closing.start and end == tokens[last - 1].end:
            arguments = _arguments(statement, first, last)
            if len(arguments) > 1:
                lines = [f"{indentation}{one}," for one in arguments]
                return text[:start] + newline.join(lines) + text[end:]
        elif start < opening.end and closing.end <= end and first + 1 < last:
            deeper = indentation + ("\t" if "\t" in indentation else "    ")
            inside = text[opening.end : closing.start].strip()
            lines = [text[: opening.end], deeper + inside, indentation + text[closing.start :]]
            return newline.join(lines)
    return None


def _arguments(statement: _Statement, first: int, last: int) -> list[str]:
    """Returns what the commas in a bracket part; nothing if some may be of a part of it."""
    text, tokens, ends = statement.text, statement.tokens, dict(statement.pairs)
    arguments, begin, index = [], first + 1, first + 1
    while index < last:
        if tokens[index].text in {"for", "lambda"}:
            return []
        index = ends.get(index, index) + 1
        if index == last or tokens[index].text == ",":
            arguments.append(text[tokens[begin].start : tokens[index - 1].end])
            index = begin = index + 1
    return arguments


def _content(text: str) -> tuple[str, list[str]]:
    """Returns what has to stay the same: the program, and its comments in order."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = [token.string.rstrip() for token in tokens if token.type == tokenize.COMMENT]
    return ast.dump(ast.parse(text)), comments
