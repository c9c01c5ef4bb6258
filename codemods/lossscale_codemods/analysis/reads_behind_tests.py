# SPDX-License-Identifier: Apache-2.0
"""Attributes that are read of an object where a test has just said of what class it is.

What the object was before the test makes no difference there. This is told without scopes, for the
plainest forms alone.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.ast_index import Nodes

_PLAIN = (ast.Assign, ast.Expr, ast.If, ast.Raise, ast.Return)
_WITH_SCOPE = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def reads_behind_tests(nodes: Nodes) -> Iterator[ast.Attribute]:
    """Yields them: `if isinstance(scale, FixedLossScale): print(scale.initial)`.

    Args:
        nodes: All nodes of the program.
    """
    for node in nodes.of(ast.If):
        match node.test:
            case ast.Call(func=ast.Name("isinstance"), args=[ast.Name(name), _], keywords=[]):
                yield from _reads_of_name(node.body, name)
            case ast.Call(func=ast.Name("isinstance"), args=[ast.Attribute() as tested, _]):
                yield from _first_read(node.body[0], tested)


def _reads_of_name(body: list[ast.stmt], name: str) -> Iterator[ast.Attribute]:
    """Yields the reads of a name's attributes, if nothing in a branch binds the name again."""
    inside = [node for statement in body for node in ast.walk(statement)]
    for node in inside:
        if isinstance(node, ast.stmt) and not isinstance(node, _PLAIN):
            return
        if isinstance(node, _WITH_SCOPE):
            return
        if isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load):
            return
    for node in inside:
        match node:
            case ast.Attribute(value=ast.Name(read)) if read == name:
                yield node


def _first_read(statement: ast.stmt, tested: ast.Attribute) -> Iterator[ast.Attribute]:
    """Yields what a branch reads first of all, if that is of what has been tested."""
    match statement:
        case (
            ast.Assign(value=ast.Attribute() as read)
            | ast.Return(value=ast.Attribute() as read)
            | ast.Assign(value=ast.Call(func=ast.Attribute() as read))
            | ast.Return(value=ast.Call(func=ast.Attribute() as read))
        ) if ast.dump(read.value) == ast.dump(tested):
            yield read
