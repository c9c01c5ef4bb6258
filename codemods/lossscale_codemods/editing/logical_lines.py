# SPDX-License-Identifier: Apache-2.0
"""A text as Python's tokenizer sees it: logical lines, their tokens, and brackets that match."""

from __future__ import annotations

import dataclasses
import io
import keyword
import tokenize
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_IGNORED = frozenset(
    {tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER}
)
_FSTRING_START = getattr(tokenize, "FSTRING_START", None)
_FSTRING_END = getattr(tokenize, "FSTRING_END", None)


@dataclasses.dataclass(frozen=True)
class Token:
    """One token of code.

    Attributes:
        text: Its text.
        start: Where it starts in the text.
        end: Where it ends.
        depth: How many brackets it is in; a bracket is in those around it.
        match: For brackets, the index of the other one in the logical line; else -1.
    """

    text: str
    start: int
    end: int
    depth: int
    match: int = -1

    @property
    def is_open(self) -> bool:
        """Whether it is an opening bracket."""
        return self.text in {"(", "[", "{"}

    @property
    def is_close(self) -> bool:
        """Whether it is a closing bracket."""
        return self.text in {")", "]", "}"}

    @property
    def is_callable(self) -> bool:
        """Whether a bracket behind it is that of a call or a subscript."""
        last = self.text[-1:]
        if keyword.iskeyword(self.text):
            return False
        return last.isidentifier() or last.isdigit() or self.is_close or last in "'\""


@dataclasses.dataclass(frozen=True)
class LogicalLine:
    """One statement, or the first line of a compound one.

    Attributes:
        tokens: Its tokens, without comments.
        comments: Where its comments start.
    """

    tokens: Sequence[Token]
    comments: Sequence[int]

    @property
    def start(self) -> int:
        """Where it starts."""
        return self.tokens[0].start

    @property
    def end(self) -> int:
        """Where it ends, without a comment behind it."""
        return self.tokens[-1].end


def logical_lines(text: str) -> Iterator[LogicalLine]:
    """Yields the logical lines of a program.

    Raises:
        tokenize.TokenError: It is no program that the tokenizer reads.
        SyntaxError: The same, from Python 3.12 on.
    """
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    tokens: list[Token] = []
    comments: list[int] = []
    opened: list[int] = []
    f_strings: list[int] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        start = starts[token.start[0] - 1] + token.start[1]
        end = starts[token.end[0] - 1] + token.end[1]
        if token.type == _FSTRING_START:
            f_strings.append(start)
            continue
        if token.type == _FSTRING_END:
            first = f_strings.pop()
            if not f_strings:
                tokens.append(Token(text[first:end], first, end, len(opened)))
            continue
        if f_strings or token.type in _IGNORED:
            continue
        if token.type == tokenize.COMMENT:
            comments.append(start)
        elif token.type == tokenize.NEWLINE:
            if tokens:
                yield LogicalLine(tokens, comments)
            tokens, comments, opened = [], [], []
        elif token.string in {")", "]", "}"} and opened:
            at = opened.pop()
            tokens[at] = dataclasses.replace(tokens[at], match=len(tokens))
            tokens.append(Token(token.string, start, end, len(opened), at))
        else:
            tokens.append(Token(token.string, start, end, len(opened)))
            if token.type == tokenize.OP and token.string in {"(", "[", "{"}:
                opened.append(len(tokens) - 1)
