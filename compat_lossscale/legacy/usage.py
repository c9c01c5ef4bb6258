# SPDX-License-Identifier: Apache-2.0
"""What a program uses that is gone or not installed, read off its source: imports, and names below.

Nothing is imported for it.
"""

from __future__ import annotations

import ast
import dataclasses
import warnings
from collections.abc import Iterator

from compat_lossscale.legacy.neighbour_names import METHODS, keras_names, neighbour_at
from compat_lossscale.legacy.neighbour_names.neighbour import Neighbour

_SUMMARIES = frozenset({"scalar", "image", "histogram", "audio", "text"})
_NOT_ON_KERAS_3 = {
    *keras_names.MEMBERS, *keras_names.HOOKS, *keras_names.MODEL_MEMBERS
} - {"add_weight", "updates"}  # fmt: skip
"""Members, but for those whose names others have too."""
_KERASES = ("tensorflow.keras.", "tensorflow.compat.v1.keras.", "tensorflow.compat.v2.keras.")
_VERSION_1 = "tensorflow.compat.v1"


@dataclasses.dataclass(frozen=True)
class FileUsage:
    """What a file uses.

    Attributes:
        neighbours: Names that are gone.
        packages: The packages that it imports.
        needed: The paths of what it and its functions import whatever is the case.
        writes_summaries: Whether it writes summaries of TensorFlow 2, or has Keras write them.
        not_on_keras_3: What it uses or defines that Keras 3 has not: members of optimizers, models
            and layers, and names below `tf.keras`.
    """

    neighbours: frozenset[Neighbour] = frozenset()
    packages: frozenset[str] = frozenset()
    needed: frozenset[str] = frozenset()
    writes_summaries: bool = False
    not_on_keras_3: frozenset[str] = frozenset()


def used_in(source: str | bytes) -> FileUsage:
    """Returns what a file uses.

    Args:
        source: The file; one that Python does not parse uses nothing.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return FileUsage()
    bound = dict(_bindings(tree))
    neighbours: set[Neighbour | None] = set()
    packages: set[str] = set()
    summaries = False
    not_on_keras_3: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in METHODS:
            neighbours.add(METHODS[node.attr])
        not_on_keras_3 |= _NOT_ON_KERAS_3 & {getattr(node, "attr", ""), getattr(node, "name", "")}
        for path in _paths(node, bound):
            neighbours.add(neighbour_at(path))
            not_on_keras_3 |= _gone_from_keras_3(path)
            summaries = summaries or _is_summary(path)
        packages.update(path.partition(".")[0] for path in _imported(node))
    return FileUsage(
        frozenset(filter(None, neighbours)),
        frozenset(packages),
        frozenset(_imported_always(tree)),
        summaries,
        frozenset(not_on_keras_3),
    )


def _is_summary(path: str) -> bool:
    """Whether a path leads to what writes a summary, for which TensorFlow needs TensorBoard."""
    if path.startswith(_VERSION_1) or not path.startswith("tensorflow."):
        return False
    *_, module, name = path.split(".")
    return (module == "summary" and name in _SUMMARIES) or name == "TensorBoard"


def _gone_from_keras_3(path: str) -> set[str]:
    """The names below `tf.keras` on a path that Keras 3 lacks."""
    found = set()
    for keras in _KERASES:
        below = path.removeprefix(keras) if path.startswith(keras) else ""
        while below:
            if below in keras_names.GONE or below in keras_names.GONE_V1:
                found.add(f"tf.keras.{below}")
            below = below.rpartition(".")[0]
    return found


def _imported_always(tree: ast.Module) -> Iterator[str]:
    """What the import statements import that stand in no branch which may not run."""
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        statement = waiting.pop()
        yield from _imported(statement)
        if not isinstance(statement, ast.Try | ast.If):
            waiting += [one for one in ast.iter_child_nodes(statement) if isinstance(one, ast.stmt)]


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
