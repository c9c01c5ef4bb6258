# SPDX-License-Identifier: Apache-2.0
"""Which names stand for nothing but the object of a method, found without scopes.

`self` of a method is never proven to be a loss-scale optimizer: calls do not tell what it is. A
type test, an annotation, an assignment, or another function with a parameter of that name can tell
it. A name with one of these anywhere in the file is left out.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeAlias

from lossscale_codemods.analysis.approximate_names import last_word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.ast_index import Nodes

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

_TYPE_TESTS = {"isinstance", "assertIsInstance"}
_BINDING_FIELDS: tuple[tuple[type[ast.AST], str], ...] = (
    (ast.FunctionDef, "name"),
    (ast.AsyncFunctionDef, "name"),
    (ast.ClassDef, "name"),
    (ast.ExceptHandler, "name"),
    (ast.MatchAs, "name"),
    (ast.MatchStar, "name"),
    (ast.MatchMapping, "rest"),
)
"""The fields that hold a name which a node binds."""


def self_names(nodes: Nodes) -> frozenset[str]:
    """Returns the names that only the first parameters of methods bind, and no test narrows.

    Args:
        nodes: All nodes of the program.
    """
    if any(alias.name == "*" for node in nodes.of(ast.ImportFrom) for alias in node.names):
        return frozenset()
    own = [
        first
        for node in nodes.of(ast.ClassDef)
        for statement in node.body
        if isinstance(statement, Function)
        for first in _first_parameter(statement)
    ]
    others = [node.arg for node in set(nodes.of(ast.arg)) - set(own)]
    return frozenset(one.arg for one in own) - {*others, *_bound(nodes), *_tested(nodes)}


def _first_parameter(function: Function) -> list[ast.arg]:
    """Returns the first parameter of a method, if nothing says of what class it is."""
    if any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.decorator_list):
        return []
    first = [*function.args.posonlyargs, *function.args.args][:1]
    return [one for one in first if one.annotation is None]


def _bound(nodes: Nodes) -> Iterator[str | None]:
    """Yields the names that anything but a parameter binds."""
    for name in nodes.of(ast.Name):
        if not isinstance(name.ctx, ast.Load):
            yield name.id
    for alias in nodes.of(ast.alias):
        yield alias.asname or alias.name.partition(".")[0]
    for kind, field in _BINDING_FIELDS:
        for node in nodes.of(kind):
            yield getattr(node, field)
    for global_names in nodes.of(ast.Global):
        yield from global_names.names
    for outer_names in nodes.of(ast.Nonlocal):
        yield from outer_names.names


def _tested(nodes: Nodes) -> Iterator[str]:
    """Yields the names of which a test can say of what class they are."""
    for call in nodes.of(ast.Call):
        tested = call.args[0] if call.args else None
        if last_word(call.func) in _TYPE_TESTS and isinstance(tested, ast.Name):
            yield tested.id
    for match in nodes.of(ast.Match):
        if isinstance(match.subject, ast.Name):
            yield match.subject.id
