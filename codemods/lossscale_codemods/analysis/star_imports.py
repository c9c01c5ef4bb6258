# SPDX-License-Identifier: Apache-2.0
"""Star imports that can put something else in the place of a name: `from mylib import *`.

Of a module of the project, its file tells what it offers. Of other packages nothing is known.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import sys
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from lossscale_codemods.analysis.bindings import BindingKind, member_path
from lossscale_codemods.analysis.syntax_check import parsed
from lossscale_codemods.vocabulary import frameworks, names

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    import libcst as cst

    from lossscale_codemods.analysis.bindings import Binding
    from lossscale_codemods.analysis.scopes import Scopes

_HARMLESS = frozenset({*sys.stdlib_module_names, "matplotlib", "numpy", "pylab", "scipy"})
_DEEPEST = 8


@runtime_checkable
class Project(Protocol):
    """What is asked of a project here, as one of its files imports it."""

    def __call__(self, path: str) -> str | None:
        """Returns the path outside of the project that a path within it stands for."""

    def locate(self, path: str) -> tuple[Path, Sequence[str]] | None:
        """Returns the file that a dotted path leads into, and the names that follow."""

    def seen_from(self, path: Path) -> Project:
        """Returns the project as another file imports it."""

    def read(self, path: Path) -> bytes | None:
        """Returns what is in a file, if it can be read."""


def hiding_star(
    node: cst.Name, bindings: Collection[Binding], scopes: Scopes, project: Project | None
) -> Binding | None:
    """Returns a star import that can give a name something else than what is known of it.

    Args:
        node: Where the name is read.
        bindings: What can have reached it, as far as is known.
        scopes: The scopes of the file.
        project: The project, as the file imports it, if it is known.
    """
    stars = scopes.module.stars
    known = list(bindings) or [s for s in stars if frameworks.is_framework(s.path or "")]
    stars = [star for star in stars if star not in known]
    if not stars or not known or any(b.scope is not scopes.module for b in known):
        return None
    tree = scopes.tree
    first = min(tree.span(b.node)[0] for b in known)
    runs_once = scopes.scope_of_read.get(node) is scopes.module
    last = tree.span(node)[0] if runs_once else len(tree.text)
    paths = {b.path for b in known if b.kind is BindingKind.IMPORT}
    for star in stars:
        if first < tree.span(star.node)[0] < last and _hides(star, node.value, paths, project):
            return star
    return None


def _hides(star: Binding, name: str, known: set[str | None], project: Project | None) -> bool:
    path = star.path or ""
    if name.startswith("_"):
        return False
    is_old = not known or any(p is not None and names.lookup(p) is not None for p in known)
    gives = _gives(path, name, project, 0)
    if gives is None:
        return is_old
    same = project is not None and project(member_path(path, name)) in known
    return gives and (is_old or not same)


def _gives(path: str, name: str, project: Project | None, depth: int) -> bool | None:
    """Whether a star import brings in a name; `None` if that is not known."""
    if path.partition(".")[0] in _HARMLESS:
        return False
    if project is None or depth > _DEEPEST:
        return None
    located = project.locate(member_path(path, name))
    if located is None:
        return None
    file, rest = located
    if list(rest) != [name]:
        return None
    offer = _offer(project.read(file) or b"")
    if offer is None:
        return None
    if offer.listed is not None:
        return name in offer.listed
    if name in offer.bound:
        return True
    if any(frameworks.is_framework(star) for star in offer.stars):
        return None
    seen = project.seen_from(file)
    answers = [_gives(star, name, seen, depth + 1) for star in offer.stars]
    return True if True in answers else None if None in answers else False


@dataclasses.dataclass
class _Offer:
    """What a module gives to star imports.

    Attributes:
        bound: The names that it binds.
        stars: The modules that it takes all names from.
        listed: What its `__all__` lists, if it has one that can be read.
    """

    bound: set[str] = dataclasses.field(default_factory=set)
    stars: list[str] = dataclasses.field(default_factory=list)
    listed: set[str] | None = None


@functools.lru_cache(maxsize=64)
def _offer(source: bytes) -> _Offer | None:
    tree = parsed(source)
    if tree is None:
        return None
    offer = _Offer()
    for node in _module_level(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*":
                    offer.stars.append("." * node.level + (node.module or ""))
                else:
                    offer.bound.add(alias.asname or alias.name)
        elif isinstance(node, ast.Import):
            offer.bound.update(a.asname or a.name.partition(".")[0] for a in node.names)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            offer.bound.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            offer.bound.add(node.id)
        elif isinstance(node, ast.Assign) and _assigns_all(node):
            texts = getattr(node.value, "elts", [])
            offer.listed = {str(t.value) for t in texts if isinstance(t, ast.Constant)}
    return offer


def _assigns_all(node: ast.Assign) -> bool:
    return any(isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets)


def _module_level(node: ast.AST) -> Iterator[ast.AST]:
    """Yields what runs in the scope of the module itself."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(
            child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
        ):
            yield from _module_level(child)
