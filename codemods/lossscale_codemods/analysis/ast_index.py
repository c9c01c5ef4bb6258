# SPDX-License-Identifier: Apache-2.0
"""The nodes of a program as Python's own parser gives it, by their kind."""

from __future__ import annotations

import ast
import collections
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

Node = TypeVar("Node", bound=ast.AST)

_NEVER_NODES = {"ctx", "id", "attr"}
"""Fields of names and attributes, which most nodes are."""
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {ast.Constant: ()}


def _fields(kind: type[ast.AST]) -> tuple[str, ...]:
    if kind not in _FIELDS:
        _FIELDS[kind] = tuple(field for field in kind._fields if field not in _NEVER_NODES)
    return _FIELDS[kind]


class Nodes:
    """All nodes of a program, in no order, but for whether a name is read or written.

    `ast.walk` gives one list, and who looks for a few kinds goes through all of it.

    Args:
        tree: The program.
    """

    def __init__(self, tree: ast.Module) -> None:
        self._of: dict[type[ast.AST], list[ast.AST]] = collections.defaultdict(list)
        waiting: list[ast.AST] = [tree]
        while waiting:
            node = waiting.pop()
            kind = type(node)
            self._of[kind].append(node)
            for field in _fields(kind):
                value = getattr(node, field, None)
                if isinstance(value, list):
                    waiting.extend([item for item in value if isinstance(item, ast.AST)])
                elif isinstance(value, ast.AST):
                    waiting.append(value)

    def of(self, kind: type[Node]) -> Iterator[Node]:
        """Yields the nodes of one kind."""
        yield from self._of.get(kind, ())  # type: ignore[misc]  # all under a kind are of that kind
