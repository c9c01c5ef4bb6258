# SPDX-License-Identifier: Apache-2.0
"""The nodes of a program as Python's own parser gives it, by their kind."""

from __future__ import annotations

import ast
import collections
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

Node = TypeVar("Node", bound=ast.AST)


class Nodes:
    """All nodes of a program, in no order.

    `ast.walk` gives one list, and who looks for a few kinds goes through all of it.

    Args:
        tree: The program.
    """

    def __init__(self, tree: ast.Module) -> None:
        self._of: dict[type[ast.AST], list[ast.AST]] = collections.defaultdict(list)
        waiting: list[ast.AST] = [tree]
        while waiting:
            node = waiting.pop()
            self._of[type(node)].append(node)
            for value in vars(node).values():
                if isinstance(value, list):
                    waiting.extend([item for item in value if isinstance(item, ast.AST)])
                elif isinstance(value, ast.AST):
                    waiting.append(value)

    def of(self, kind: type[Node]) -> Iterator[Node]:
        """Yields the nodes of one kind."""
        yield from self._of.get(kind, ())  # type: ignore[misc]  # all under a kind are of that kind
