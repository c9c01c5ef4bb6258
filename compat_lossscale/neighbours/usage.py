# SPDX-License-Identifier: Apache-2.0
"""Which neighbours a program uses, read off its source: imports, and names below what they bind."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

from compat_lossscale.neighbour_names.lookup import METHODS, neighbour_at
from compat_lossscale.neighbour_names.neighbour import Neighbour


def used_in(source: str | bytes) -> frozenset[Neighbour]:
    """Returns the neighbours that a file uses.

    Args:
        source: The file; one that Python does not parse uses none.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    bound = dict(_bindings(tree))
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in METHODS:
            names.add(METHODS[node.attr])
        names.update(filter(None, map(neighbour_at, _paths(node, bound))))
    return frozenset(names)


def roots_imported_in(source: str | bytes) -> frozenset[str]:
    """Returns the packages that a file imports."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    return frozenset(path.partition(".")[0] for node in ast.walk(tree) for path in _imported(node))


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _bindings(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """What the names that imports bind stand for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.partition(".")[0]
                yield (alias.asname, alias.name) if alias.asname else (root, root)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _paths(node: ast.AST, bound: dict[str, str]) -> Iterator[str]:
    yield from _imported(node)
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if names and isinstance(node, ast.Name) and node.id in bound:
        yield ".".join([bound[node.id], *reversed(names)])
