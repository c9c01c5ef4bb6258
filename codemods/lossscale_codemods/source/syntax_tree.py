# SPDX-License-Identifier: Apache-2.0
"""One parsed file: its syntax tree with parents, and where each node is in the text.

Positions are offsets into the UTF-8 text, and edits are made on that text, so every byte outside
an edit stays what it was.
"""

from __future__ import annotations

import bisect
import builtins
import functools
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias, TypeVar, overload

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper

Span: TypeAlias = tuple[int, int]
N = TypeVar("N", bound=cst.CSTNode)
M = TypeVar("M", bound=cst.CSTNode)

_LAYOUT = ("whitespace", "lines_", "leading_lines", "header", "footer", "indent", "lbracket")


@functools.cache
def _child_fields(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    names = getattr(kind, "__dataclass_fields__", {})
    return tuple(n for n in names if not n.startswith(_LAYOUT) and n not in {"lpar", "rpar"})


@functools.cache
def _is_code(kind: type) -> bool:
    # To ask each node, not each kind, took a fifth of a full parse: the kinds are abstract classes.
    trivia = (cst.BaseParenthesizableWhitespace, cst.TrailingWhitespace, cst.EmptyLine, cst.Comma)
    return issubclass(kind, cst.CSTNode) and not issubclass(kind, trivia)


def children(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yields the direct children that are code, in the order of the node's fields."""
    for field in _child_fields(type(node)):
        value = getattr(node, field)
        if _is_code(value.__class__):
            yield value
        elif isinstance(value, list | tuple):
            for item in value:
                if _is_code(item.__class__):
                    yield item


def dotted(node: cst.CSTNode | None) -> str | None:
    """Returns `a.b.c` for a chain of attributes on a name, and nothing for other expressions."""
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if not isinstance(node, cst.Name):
        return None
    parts.append(node.value)
    return ".".join(reversed(parts))


def is_none(node: cst.CSTNode | None) -> bool:
    """Whether an expression is `None`."""
    return isinstance(node, cst.Name) and node.value == "None"


def argument_of(arguments: Sequence[cst.Arg], place: int, *names: str) -> cst.Arg | None:
    """Returns the argument at a place, or with one of some names, if that can be seen."""
    for index, argument in enumerate(arguments):
        if argument.star == "*":
            return None
        if argument.keyword is not None:
            if argument.keyword.value in names:
                return argument
        elif index == place and not argument.star:
            return argument
    return None


def keywords_of(call: cst.Call | None) -> dict[str, cst.Arg]:
    """Returns the arguments of a call that are named, by their names."""
    arguments = call.args if call is not None else ()
    return {one.keyword.value: one for one in arguments if one.keyword is not None}


def key_of(subscript: cst.Subscript) -> str | None:
    """Returns the text that something is looked up by: `key` of `x["key"]`."""
    index = subscript.slice[0].slice
    return literal_text(index.value) if isinstance(index, cst.Index) else None


def instance_of(function: cst.BaseExpression) -> cst.BaseExpression | None:
    """Returns x of `type(x)` and of `x.__class__`."""
    match function:
        case cst.Call(func=cst.Name(value="type"), args=[cst.Arg(value=instance, star="")]):
            return instance
        case cst.Attribute(value=instance, attr=cst.Name(value="__class__")):
            return instance
    return None


def literal_text(node: cst.BaseExpression) -> str | None:
    """Returns the text of a literal; nothing of anything else."""
    return str(node.evaluated_value) if isinstance(node, cst.SimpleString) else None


def last_name(node: cst.BaseExpression) -> str:
    """Returns the last name of a dotted expression, whatever it starts with."""
    last = node.attr if isinstance(node, cst.Attribute) else node
    return last.value if isinstance(last, cst.Name) else ""


@functools.lru_cache(maxsize=32)
def tree_of(source: bytes | str, name: str = "") -> Tree:
    """Parses a file, once for all who ask.

    Args:
        source: The file's bytes, or its text.
        name: Which file it is: a copy of a file is another part of a program.

    Raises:
        libcst.ParserSyntaxError: It does not parse; or another error of the parser.
    """
    return Tree(cst.parse_module(source))


class Tree:
    """A module with the parents, the spans and the source text of its nodes."""

    def __init__(self, module: cst.Module) -> None:
        self.module = module
        self.parents: dict[cst.CSTNode, cst.CSTNode] = {}
        stack: list[cst.CSTNode] = [module]
        while stack:
            node = stack.pop()
            for child in children(node):
                self.parents[child] = node
                stack.append(child)

    @functools.cached_property
    def _spans(self) -> dict[cst.CSTNode, Span]:
        # Files in which nothing is found never need them.
        wrapper = MetadataWrapper(self.module, unsafe_skip_copy=True)
        spans = wrapper.resolve(ByteSpanPositionProvider)
        return {node: (one.start, one.start + one.length) for node, one in spans.items()}

    @functools.cached_property
    def code(self) -> str:
        """The file's text, as the parser keeps it."""
        return self.module.code

    @functools.cached_property
    def text(self) -> builtins.bytes:
        """The file's text in UTF-8, which spans are offsets into."""
        return self.code.encode("utf-8")

    @property
    def bytes(self) -> bytes:
        """The file's bytes, as the parser keeps them."""
        return self.code.encode(self.module.encoding)

    @functools.cached_property
    def _line_starts(self) -> list[int]:
        starts, position = [0], self.text.find(b"\n")
        while position >= 0:
            starts.append(position + 1)
            position = self.text.find(b"\n", position + 1)
        return starts

    def span(self, node: cst.CSTNode) -> Span:
        """Returns the node's start and end, without its own parentheses."""
        return self._spans[node]

    def full_span(self, node: cst.CSTNode) -> Span:
        """Returns the node's start and end, with its own parentheses."""
        start, end = self._spans[node]
        lpar, rpar = getattr(node, "lpar", ()), getattr(node, "rpar", ())
        if isinstance(lpar, list | tuple) and isinstance(rpar, list | tuple) and lpar and rpar:
            start, end = self._spans[lpar[0]][0], self._spans[rpar[-1]][1]
        return start, end

    def source(self, node: cst.CSTNode) -> str:
        """Returns the node's source text, with its own parentheses."""
        return self.slice(self.full_span(node))

    def slice(self, span: Span) -> str:
        """Returns the source text of a span."""
        return self.text[span[0] : span[1]].decode("utf-8")

    def position(self, offset: int) -> tuple[int, int]:
        """Returns the line (from 1) and the column (from 1, in characters) of an offset."""
        line = bisect.bisect_right(self._line_starts, offset)
        start = self._line_starts[line - 1]
        return line, len(self.text[start:offset].decode("utf-8", "replace")) + 1

    def offset(self, line: int, column: int) -> int:
        """Returns the offset of a line and a column, both as `position` gives them."""
        start = self._line_starts[line - 1]
        return start + len(self.slice((start, self.line_end(start)))[: column - 1].encode("utf-8"))

    def line_start(self, offset: int) -> int:
        """Returns the offset at which the line of `offset` starts."""
        return self._line_starts[bisect.bisect_right(self._line_starts, offset) - 1]

    def line_end(self, offset: int) -> int:
        """Returns the offset just behind the line's newline, or the end of the text."""
        line = bisect.bisect_right(self._line_starts, offset)
        return self._line_starts[line] if line < len(self._line_starts) else len(self.text)

    @functools.cached_property
    def newline(self) -> str:
        """The newline that the file uses."""
        return self.module.default_newline

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """Returns the node's parent; a module has none."""
        return self.parents.get(node)

    def call_of(self, node: cst.CSTNode) -> cst.Call | None:
        """Returns the call of an expression, if it is called."""
        above = self.parent(node)
        return above if isinstance(above, cst.Call) and above.func is node else None

    def taker_of(self, node: cst.CSTNode) -> cst.Call | None:
        """Returns the call that an expression is an argument of, if it is one."""
        argument = self.parent(node)
        call = self.parent(argument) if isinstance(argument, cst.Arg) else None
        return call if isinstance(call, cst.Call) else None

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """Yields the node's parent, its parent, and so on up to the module."""
        current = self.parents.get(node)
        while current is not None:
            yield current
            current = self.parents.get(current)

    def around(self, node: cst.CSTNode, kind: type[N]) -> N | None:
        """Returns the innermost definition of a kind that a node is in."""
        return next((one for one in self.ancestors(node) if isinstance(one, kind)), None)

    @functools.cached_property
    def _by_kind(self) -> dict[type, list[Any]]:
        # To ask each node with isinstance() takes ten times as long: the kinds are abstract.
        by_kind: dict[type, list[Any]] = {}
        for node in self.parents:
            by_kind.setdefault(type(node), []).append(node)
        return by_kind

    @overload
    def nodes(self, kind: type[N], /) -> list[N]: ...

    @overload
    def nodes(self, kind: type[N], other: type[M], /) -> list[N | M]: ...

    def nodes(self, *kinds: type[cst.CSTNode]) -> list[Any]:
        """Returns all nodes of one or two kinds: of the one, and then of the other."""
        return [node for kind in kinds for node in self._by_kind.get(kind, ())]

    def statement(self, node: cst.CSTNode) -> cst.CSTNode:
        """Returns the statement, simple line or compound, that the node is in."""
        current = node
        while not isinstance(current, cst.SimpleStatementLine | cst.BaseCompoundStatement):
            above = self.parents.get(current)
            if above is None or isinstance(above, cst.Module):
                break
            current = above
        return current

    def indentation(self, offset: int) -> str:
        """Returns the white space at the start of the offset's line."""
        line = self.slice((self.line_start(offset), self.line_end(offset)))
        return line[: len(line) - len(line.lstrip(" \t"))]

    def walk(self, node: cst.CSTNode | None = None) -> Iterator[cst.CSTNode]:
        """Yields the node and everything below it."""
        stack: list[cst.CSTNode] = [self.module if node is None else node]
        while stack:
            current = stack.pop()
            yield current
            stack.extend(reversed(list(children(current))))
