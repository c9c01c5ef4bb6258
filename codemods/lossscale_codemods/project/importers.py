# SPDX-License-Identifier: Apache-2.0
"""Which names of a file other files use, so that they cannot be removed or change their meaning.

Asked of the other files as they will be, so that an import that is rewritten as well counts no
more. A name is the module's (`mp`), or with a dot the attribute of a class in it (`.mp`). Where it
is not sure that a file means this module, or a notebook does, it is enough that it can.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import itertools
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from lossscale_codemods.project.discovery import DiscoveredFile, discover
from lossscale_codemods.project.files import is_top, module_at, read
from lossscale_codemods.source.reading import parsed
from lossscale_codemods.tables.frameworks import is_framework

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from lossscale_codemods.tables.records import Result

_MOST_FILES = 5_000
"""A folder that happens to hold more than this is not one project."""
_LONGEST = 200
_STAR = re.compile(rb"import[ \t\f\\\r\n]*\*")


def used_by_others(
    results: Mapping[str, Result], others: Callable[[set[str]], Iterable[str]]
) -> dict[str, dict[str, str]]:
    """Returns the names that a run would change although other files use them.

    Args:
        results: What the run makes of files, by their names.
        others: Finds the names of all files that may use names of these, given those names.

    Returns:
        For each such file, its names, and for each of these a file that uses it.
    """
    changing = {
        name: result.changed_names
        for name, result in results.items()
        if result.changed_names and not name.endswith(".ipynb")
    }
    if not changing:
        return {}
    texts = {_absolute(name): result.output for name, result in results.items()}
    changed = {name for names in changing.values() for name in names}
    importers = Importers(others(changed), texts, changed)
    used = {}
    for file, names in changing.items():
        users = importers.users(Path(file), names)
        if users:
            here = Path(file).absolute().parent
            used[file] = {n: os.path.relpath(user, here) for n, user in users.items()}
    return used


def can_hand_on(source: bytes) -> bool:
    """Whether a file can offer names that are not in it, by a star import."""
    return _STAR.search(source) is not None


class Importers:
    """The files that may use names of others.

    Args:
        files: Their names.
        texts: What is in those that change, by their absolute paths; the others are read.
        names: Names that are going to be asked for.
    """

    def __init__(
        self, files: Iterable[str], texts: Mapping[str, bytes], names: Iterable[str]
    ) -> None:
        words = [name.removeprefix(".").encode() for name in names]
        self.texts: dict[Path, bytes] = {}
        for name in files:
            # Strings: on a large tree, path objects would take longer than reading.
            here = _absolute(name)
            source = texts.get(here)
            if source is None:
                try:
                    source = read(name)
                except OSError:
                    continue
            if name.endswith(".ipynb"):
                source = source.replace(rb"\n", b"\n")
            if any(word in source for word in words) or can_hand_on(source):
                self.texts[Path(here)] = source

    def users(self, path: Path, names: Iterable[str]) -> dict[str, Path]:
        """Returns those of a file's names that another file uses, each with such a file."""
        here = path.absolute()
        found = ((name, self._user(here, name, {here})) for name in names)
        return {name: user for name, user in found if user is not None}

    def _user(self, module: Path, name: str, seen: set[Path]) -> Path | None:
        says_name = _word(name.removeprefix(".").encode())
        is_package = module.stem == "__init__"
        stem = os.fsencode(module.parent.name if is_package else module.stem)
        for other, source in self.texts.items():
            is_named = stem in source or (is_package and module.parent in other.parents)
            names_it = says_name.search(source) is not None
            if other in seen or not (names_it or can_hand_on(source)):
                continue
            if not (is_named or name.startswith(".")):
                continue
            reads = None if other.suffix == ".ipynb" else _reads(source)
            if reads is None:
                if names_it and (name.startswith(".") or _word(stem).search(source)):
                    return other
            elif name.startswith("."):
                if name[1:] in reads.attributes or name[1:] in reads.strings:
                    return other
            elif names_it and _uses(other, reads, module, name):
                return other
            elif _gets_by_star(other, reads, module, name):
                # What a star import brings in, the file may itself offer to others.
                is_used = name in reads.loaded
                user = other if is_used else self._user(other, name, seen | {module, other})
                if user is not None:
                    return user
        return None


def _uses(other: Path, reads: _Reads, module: Path, name: str) -> bool:
    """Whether a file uses a name of a module, as far as that can be told without scopes."""
    stem = module.parent.name if module.stem == "__init__" else module.stem
    if any(f".{string}".endswith(f".{stem}.{name}") for string in reads.strings):
        return True
    if any(n == name and _refers(other, m, module) for m, n in reads.members):
        return True
    dynamic = reads.strings if reads.imports_dynamically else ()
    for chain in itertools.chain(reads.chains, filter(None, dynamic)):
        parts = chain.split(".")
        dots = len(chain) - len(chain.lstrip("."))
        for end in range(dots + 1, len(parts) + 1):
            # A module that is handed on can be asked for anything.
            asked = end == len(parts) or parts[end] == name
            if asked and _refers(other, ".".join(parts[:end]), module):
                return True
    return False


def _gets_by_star(other: Path, reads: _Reads, module: Path, name: str) -> bool:
    is_offered = not name.startswith("_") and name not in reads.bound
    return is_offered and any(n == "*" and _refers(other, m, module) for m, n in reads.members)


def _refers(other: Path, dotted: str, module: Path) -> bool:
    """Whether a dotted module path, as a file writes it, can be a module."""
    home = module.parent if module.stem == "__init__" else module.with_suffix("")
    name = dotted.lstrip(".")
    parts = name.split(".") if name else []
    dots = len(dotted) - len(name)
    if dots:
        if dots > len(other.parents):
            return False
        place = other.parents[dots - 1].joinpath(*parts)
        # Another module can hand it on: `from .engine import train`.
        is_handed_on = module_at(place) is None and module_at(place.parent) is not None
        return place == home or (place.name == home.name and is_handed_on)
    if parts[-1] != home.name:
        return False
    if is_framework(name):
        return home.parts[-len(parts) :] == tuple(parts)
    for folder in other.parents:
        place = folder.joinpath(*parts)
        if module_at(place) is not None:
            return place == home
        if module_at(place.parent) == place.parent.with_suffix(".py"):
            return False  # A member of a module, which can have the module's own name.
    return True


@dataclasses.dataclass
class _Reads:
    """What a file takes from other modules. Relative paths start with their dots.

    Attributes:
        members: What its from-imports name: the module and the member, which can be `*`.
        bound: The names that its imports bind, each with what they can be.
        chains: Dotted reads that start at an imported name, with what was imported in its place.
        loaded: The names that it reads.
        attributes: The attributes that it reads of anything but the frameworks.
        strings: Its strings, in which names can be given to `getattr` and the like.
        imports_dynamically: Whether it imports modules whose names are strings.
    """

    members: set[tuple[str, str]] = dataclasses.field(default_factory=set)
    bound: dict[str, set[str]] = dataclasses.field(default_factory=dict)
    chains: set[str] = dataclasses.field(default_factory=set)
    loaded: set[str] = dataclasses.field(default_factory=set)
    attributes: set[str] = dataclasses.field(default_factory=set)
    strings: set[str] = dataclasses.field(default_factory=set)
    imports_dynamically: bool = False


@functools.lru_cache(maxsize=512)
def _reads(source: bytes) -> _Reads | None:
    """Returns what a file takes from other modules; nothing if it is not parsed."""
    tree = parsed(source)
    if tree is None:
        return None
    reads = _Reads()
    reads.imports_dynamically = b"import_module" in source or b"__import__" in source
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                path = alias.name if alias.asname else alias.name.split(".")[0]
                reads.bound.setdefault(alias.asname or path, set()).add(path)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            glue = "" if module.endswith(".") else "."
            for alias in node.names:
                reads.members.add((module, alias.name))
                if alias.name != "*":
                    path = f"{module}{glue}{alias.name}"
                    reads.bound.setdefault(alias.asname or alias.name, set()).add(path)
    inner: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name):
            if isinstance(node, ast.Attribute):
                inner.add(node.value)
            _add_chain(node, node in inner, reads)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            reads.strings.add(node.value[:_LONGEST])
    return reads


def _add_chain(node: ast.Attribute | ast.Name, is_inner: bool, reads: _Reads) -> None:
    attributes: list[str] = []
    root: ast.expr = node
    while isinstance(root, ast.Attribute):
        attributes.insert(0, root.attr)
        root = root.value
    targets = reads.bound.get(root.id, set()) if isinstance(root, ast.Name) else set()
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load):
            reads.loaded.add(node.id)
    elif isinstance(node.ctx, ast.Load) and not (targets and all(map(is_framework, targets))):
        reads.attributes.add(node.attr)
    if not is_inner:
        reads.chains.update(".".join([target, *attributes]) for target in targets)


def _absolute(name: str) -> str:
    return os.path.abspath(name)  # noqa: PTH100  # resolve() would follow links


def _word(text: bytes) -> re.Pattern[bytes]:
    """A word by itself. Bytes of letters beyond ASCII are part of a word too."""
    return re.compile(rb"(?<![\w\x80-\xff])%s(?![\w\x80-\xff])" % re.escape(text))


def project_files(named: Iterable[Path]) -> Iterator[str]:
    """Yields the files of the projects that paths belong to, or else of the paths' folders.

    A project that was named as a whole is left out: its files are looked at anyway.
    """
    folders = {path.absolute() for path in named if os.path.isdir(path)}
    roots = set()
    for path in named:
        here = path.absolute()
        above = [here, *here.parents] if here in folders else list(here.parents)
        root = next((folder for folder in above if is_top(folder)), above[0])
        if not any(folder in folders for folder in (root, *root.parents)):
            roots.add(root)
    names = (file.name for file in discover(sorted(roots)) if isinstance(file, DiscoveredFile))
    return itertools.islice(names, _MOST_FILES)
