# SPDX-License-Identifier: Apache-2.0
"""What a file takes from other modules, read off its syntax tree without following assignments."""

from __future__ import annotations

import ast
import dataclasses
import functools
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.syntax_check import parsed
from lossscale_codemods.vocabulary.frameworks import is_framework

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclasses.dataclass
class Reads:
    """What a file takes from other modules. Relative paths start with their dots.

    Attributes:
        path: The file.
        members: What its from-imports name: the module and the member, which can be `*`.
        bound: The names that its imports bind.
        targets: What each of these is.
        defined: The functions and classes that it defines at its top level.
        chains: Dotted reads that start at an imported name, with what was imported in its place.
        loaded: The names that it reads.
        attributes: The attributes that it reads of anything but the frameworks.
        strings: Its strings, in which names can be given to `getattr` and the like.
        imports_dynamically: Whether it imports modules whose names are strings.
    """

    path: Path
    members: set[tuple[str, str]] = dataclasses.field(default_factory=set)
    bound: set[str] = dataclasses.field(default_factory=set)
    targets: dict[str, set[str]] = dataclasses.field(default_factory=dict)
    defined: set[str] = dataclasses.field(default_factory=set)
    chains: set[str] = dataclasses.field(default_factory=set)
    loaded: set[str] = dataclasses.field(default_factory=set)
    attributes: set[str] = dataclasses.field(default_factory=set)
    strings: set[str] = dataclasses.field(default_factory=set)
    imports_dynamically: bool = False


_LONGEST = 200


@functools.lru_cache(maxsize=512)
def reads_of(path: Path, source: bytes) -> Reads | None:
    """Returns what a file takes from other modules; nothing if it is no Python or not parsed."""
    if path.suffix == ".ipynb":
        return None
    tree = parsed(source)
    if tree is None:
        return None
    reads = Reads(path)
    reads.imports_dynamically = b"import_module" in source or b"__import__" in source
    imported: dict[str, set[str]] = {}
    for local, target in _imports(tree, reads):
        imported.setdefault(local, set()).add(target)
    reads.bound, reads.targets = set(imported), imported
    definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    reads.defined = {node.name for node in tree.body if isinstance(node, definition)}
    own = set(_own_attributes(tree, imported))
    inner: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name):
            if isinstance(node, ast.Attribute):
                inner.add(node.value)
            if node not in own:
                _add_chain(node, node in inner, imported, reads)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            reads.strings.add(node.value[:_LONGEST])
    return reads


def _imports(tree: ast.AST, reads: Reads) -> Iterator[tuple[str, str]]:
    """Yields each name that an import binds, and the dotted path of what it is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    yield alias.asname, alias.name
                else:
                    yield alias.name.split(".")[0], alias.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            for alias in node.names:
                reads.members.add((module, alias.name))
                if alias.name != "*":
                    glue = "" if module.endswith(".") else "."
                    yield alias.asname or alias.name, f"{module}{glue}{alias.name}"


def _own_attributes(tree: ast.AST, imported: dict[str, set[str]]) -> Iterator[ast.Attribute]:
    """Yields what methods read of `self` that they, and no class of the project, set."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef) or not all(
            _is_framework(base, imported) for base in node.bases
        ):
            continue
        of_self = [
            part
            for part in ast.walk(node)
            if isinstance(part, ast.Attribute)
            and isinstance(part.value, ast.Name)
            and part.value.id == "self"
        ]
        is_set = {part.attr for part in of_self if isinstance(part.ctx, ast.Store)}
        yield from (part for part in of_self if part.attr in is_set)


def _is_framework(base: ast.expr, imported: dict[str, set[str]]) -> bool:
    """Whether a base class is one of the frameworks, or `object`."""
    while isinstance(base, ast.Attribute):
        base = base.value
    if not isinstance(base, ast.Name):
        return False
    targets = imported.get(base.id, set())
    return base.id == "object" or (bool(targets) and all(map(is_framework, targets)))


def _add_chain(
    node: ast.Attribute | ast.Name, is_inner: bool, imported: dict[str, set[str]], reads: Reads
) -> None:
    attributes: list[str] = []
    root: ast.expr = node
    while isinstance(root, ast.Attribute):
        attributes.insert(0, root.attr)
        root = root.value
    targets = imported.get(root.id, set()) if isinstance(root, ast.Name) else set()
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load):
            reads.loaded.add(node.id)
    elif not targets or not all(is_framework(target) for target in targets):
        reads.attributes.add(node.attr)
    if not is_inner:
        reads.chains.update(".".join([target, *attributes]) for target in targets)
