# SPDX-License-Identifier: Apache-2.0
"""The files of a project, as one of them imports the others."""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

_DEEPEST = 20
"""How many packages a module is in, at most."""
_FOLDERS_UP = 6
_PROJECT_MARKS = (".git", ".hg", "pyproject.toml", "setup.py", "setup.cfg")
"""The files that mark the top folder of a project."""


def import_folders(path: Path) -> Iterator[Path]:
    """Yields the folders in which a file's absolute imports are looked for, the nearest first.

    These are the folders of the project above the file, and the folders `src` in them.
    """
    above = path.absolute().parents
    for folder in itertools.islice(above, _FOLDERS_UP):
        yield folder
        sources = folder / "src"
        if os.path.isdir(sources) and sources not in above:
            yield sources
        if is_top(folder):
            return


def is_top(folder: Path) -> bool:
    """Whether a folder is the top of a project."""
    return any(os.path.exists(folder / mark) for mark in _PROJECT_MARKS)


def module_at(base: Path) -> Path | None:
    """Returns the file of a module or package by its path without an ending, if there is one."""
    for candidate in (base.parent / f"{base.name}.py", base / "__init__.py"):
        if os.path.isfile(candidate):
            return candidate
    return None


class ProjectFiles:
    """A project, as one of its files imports it, and the files that run together with that."""

    def __init__(self, path: Path, together: Collection[str] = ()) -> None:
        self.path = _normal(path)
        self.outside: dict[str, str | None] = {}
        """What paths within the project stand for outside of it, as far as that was asked."""
        self._together = together
        self._first = self
        self._seen = {self.path: self}
        self._mentioning: dict[str, list[Path]] = {}
        self._folders = list(import_folders(self.path))
        self._homes: dict[str, list[Path]] = {}
        self._located: dict[str, tuple[Path, Sequence[str]] | None] = {}

    def seen_from(self, path: Path) -> ProjectFiles:
        """Returns the project as another file imports it."""
        seen = self._first._seen
        if path not in seen:
            seen[path] = ProjectFiles(path)
            seen[path]._first = self._first
        return seen[path]

    def homes(self, root: str) -> list[Path]:
        """Returns the folders in which an import of a top-level module can find it."""
        if root not in self._homes:
            self._homes[root] = [folder for folder in self._folders if _has(folder, root)]
        return self._homes[root]

    def module(self, dotted: str) -> Path | None:
        """Returns the file of a module that the file imports, if it is one of the project."""
        dots, parts = _split(dotted)
        if dots > len(self.path.parents) or not all(part.isidentifier() for part in parts):
            return None  # Text of the program's own can look like a path, as in `x.split("/")`.
        if dots:
            return module_at(self.path.parents[dots - 1].joinpath(*parts))
        homes = self.homes(parts[0]) if parts else ()
        return module_at(homes[0].joinpath(*parts)) if homes else None

    def modules(self, dotted: str) -> Iterator[tuple[Path, Sequence[str]]]:
        """Yields the files that an import runs, packages first, each with the names that follow."""
        dots, parts = _split(dotted)
        for end in range(min(len(parts), _DEEPEST) + 1):
            file = self.module("." * dots + ".".join(parts[:end]))
            if file is not None:
                yield _normal(file), parts[end:]

    def locate(self, path: str) -> tuple[Path, Sequence[str]] | None:
        """Returns the file that a path surely leads into, and the names that follow."""
        if path not in self._located:
            dots, parts = _split(path)
            is_told = bool(dots or not parts) or len(self.homes(parts[0])) < 2
            found = list(self.modules(path)) if is_told else []
            self._located[path] = found[-1] if found else None
        return self._located[path]

    def read(self, path: Path) -> bytes | None:
        """Returns what is in a file, if it can be read."""
        try:
            return _source(path, path.stat().st_mtime_ns)
        except OSError:
            return None

    def mentioning(self, word: str) -> Sequence[Path]:
        """Returns the files of its program that have a word in them."""
        first = self._first
        if word not in first._mentioning:
            code = os.fsencode(word)
            paths = map(Path, sorted(first._together))
            first._mentioning[word] = [p for p in paths if code in (self.read(p) or b"")]
        return first._mentioning[word]


def _split(dotted: str) -> tuple[int, list[str]]:
    """Returns how many dots are in front of a path, and its parts."""
    name = dotted.lstrip(".")
    return len(dotted) - len(name), name.split(".") if name else []


def _has(folder: Path, root: str) -> bool:
    base = f"{folder}{os.sep}{root}"  # To join paths would take longer than to ask for them.
    return os.path.isdir(base) or os.path.isfile(f"{base}.py")


@functools.lru_cache(maxsize=4096)
def _source(path: Path, changed: int) -> bytes:
    del changed
    return path.read_bytes()


def _normal(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100  # resolve() would follow links
