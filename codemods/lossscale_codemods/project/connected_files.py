# SPDX-License-Identifier: Apache-2.0
"""Which files run in one program with others: what imports these, and what all of them import.

Told by import statements alone, which are looked for in the bytes: to parse every file of a project
would take far longer than to read it. So a statement in a string counts as well.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lossscale_codemods.analysis import run_time_imports
from lossscale_codemods.project.file_reading import read
from lossscale_codemods.project.relative_imports import import_folders
from lossscale_codemods.vocabulary.frameworks import is_framework

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

# An import begins a line, or follows a `:` or `;` on one; comments are passed over. No two parts
# can match the same text, so that the time is linear in the length of hostile files as well.
_IMPORT = re.compile(
    rb"#[^\n]*"
    rb"|(?:^|[:;])[ \t\"]*"
    rb"(?:from\b([\w. \t]*?)\bimport\b[ \t]*(\((?:[^()#]|#[^\n]*\n)*\)|(?:[^\n#;\\]|\\\n)*)"
    rb"|import[ \t]+([\w.][^\n#;]*))",
    re.MULTILINE,
)
# Where an import, or a comment, begins on a line with this word. Most lines have none.
_WORD = b"import"
_BEGIN = re.compile(
    rb"#|(?:^|[:;])[ \t\"]*(?:from\b[\w. \t]*?\bimport\b|import[ \t]+[\w.])", re.MULTILINE
)
_NAME = re.compile(rb"[\w.]+(?:\s+as\s+\w+)?")


class _Found(NamedTuple):
    """What an import leads to.

    Attributes:
        files: The files that it runs: a module, and the packages that it is in.
        places: The paths at which its own members can be modules.
    """

    files: list[str]
    places: list[str]


class ImportGraph:
    """Which of a project's files import which.

    Args:
        names: The names of the files.
        is_wanted: Tells by the bytes of a file whether it is asked for.
    """

    def __init__(self, names: Iterable[str], is_wanted: Callable[[bytes], bool]) -> None:
        self._names = {os.path.abspath(name): name for name in names}  # noqa: PTH100  # resolve() would follow links
        self._modules = {_module(path) for path in self._names}
        self._places = _with_folders(self._modules)
        self._roots = {place.rpartition(os.sep)[2] for place in self._places}
        self._is_wanted = is_wanted
        self._imported: dict[str, set[str]] = {}
        self._importing: dict[str, set[str]] = {}
        self._folders: dict[str, list[str]] = {}
        self._found_at: dict[str, dict[bytes, _Found]] = {}
        for path in self._names:
            source = _source(path)
            imported = set(self._files_imported(path, source)) - {path}
            self._imported[path] = imported
            for one in imported:
                self._importing.setdefault(one, set()).add(path)

    def connected(self, names: Iterable[str]) -> dict[str, str]:
        """Returns the wanted files that run together with others, each with one of these.

        Args:
            names: The names of the others, which are not among the answers.
        """
        first = {os.path.abspath(name): name for name in names}  # noqa: PTH100  # see above
        importing = _closure(first, self._importing)
        together = _closure(importing, self._imported)
        return {
            self._names[path]: name
            for path, name in together.items()
            if path not in first and self._is_wanted(_source(path))
        }

    def _files_imported(self, path: str, source: bytes) -> Iterator[str]:
        folder = os.path.dirname(path)  # noqa: PTH120  # strings, for speed
        if path.endswith(".ipynb"):
            source = source.replace(rb"\n", b"\n").replace(b'"', b"\n")
        for match in _imports(source):
            module, members, modules = match.groups()
            if modules is not None:
                for one in _NAME.findall(modules):
                    yield from self._find(path, folder, one.split()[0]).files
            elif module is not None:
                found = self._find(path, folder, b"".join(module.split()))
                yield from found.files
                for one in _NAME.findall(members) if found.places else ():
                    name = one.split()[0].decode("utf-8", "replace")
                    for place in found.places:
                        yield from self._files_of(f"{place}{os.sep}{name}")
        for name in run_time_imports.module_names(source):
            yield from self._find(path, folder, name.dotted.encode()).files
            if name.is_package:
                yield from self._files_in(path, name.dotted)
        for script in run_time_imports.scripts(source):
            yield from self._scripts_at(folder, script)

    def _find(self, path: str, folder: str, dotted: bytes) -> _Found:
        """Returns what an import of a file leads to.

        Args:
            path: The file.
            folder: The folder that it is in.
            dotted: What it imports.
        """
        known = self._found_at.setdefault(folder, {})
        if dotted not in known:
            known[dotted] = self._look_up(path, dotted.decode("utf-8", "replace"))
        return known[dotted]

    def _look_up(self, path: str, dotted: str) -> _Found:
        found = _Found([], [])
        name = dotted.lstrip(".")
        parts = name.split(".") if name else []
        dots = len(dotted) - len(name)
        if dots:
            folder = path
            for _ in range(dots):
                folder = os.path.dirname(folder)  # noqa: PTH120  # strings, for speed
            folders = [folder]
        elif not parts or is_framework(name) or parts[0] not in self._roots:
            folders = []
        else:
            folders = self._folders_of(path)
        for folder in folders:
            self._follow(folder, parts, found)
        return found

    def _follow(self, folder: str, parts: Sequence[str], found: _Found) -> None:
        """Adds what an import leads to if it is looked for in a folder."""
        place = folder
        files = [*self._files_of(place)]
        for part in parts:
            place = f"{place}{os.sep}{part}"
            if place not in self._places:
                break
            files += self._files_of(place)
        else:
            found.places.append(place)
        found.files.extend(files)

    def _files_of(self, place: str) -> Iterator[str]:
        """Yields the files of a module, or of a package itself."""
        if place in self._modules:
            for file in (f"{place}.py", f"{place}{os.sep}__init__.py"):
                if file in self._names:
                    yield file

    def _files_in(self, path: str, package: str) -> Iterator[str]:
        """Yields the files of a package, one of which is imported by a name made at run time."""
        folders = self._folders_of(path)
        name = package.strip(".")
        parts = name.split(".") if name else []
        inside = tuple(
            os.path.join(folder, *parts, "")  # noqa: PTH118  # strings, for speed
            for folder in (folders if parts else folders[:1])
        )
        yield from (name for name in self._names if name.startswith(inside))

    def _scripts_at(self, folder: str, script: str) -> Iterator[str]:
        """Yields the file that a script's path means, from the folder of who runs it."""
        for relative in (script, script.rpartition("/")[2]):
            path = os.path.normpath(os.path.join(folder, relative))  # noqa: PTH118  # see above
            if path in self._names:
                yield path
                return

    def _folders_of(self, path: str) -> list[str]:
        """Returns the folders in which an absolute import of a file may find its module."""
        folder = os.path.dirname(path)  # noqa: PTH120  # strings, for speed
        if folder not in self._folders:
            self._folders[folder] = [str(one) for one in import_folders(Path(path))]
        return self._folders[folder]


def _source(path: str) -> bytes:
    """Returns what is in a file; nothing if it cannot be read."""
    try:
        return read(path)
    except OSError:
        return b""


def _imports(source: bytes) -> Iterator[re.Match[bytes]]:
    """Yields the import statements in a file, each on a line with the word."""
    position = 0
    while (word := source.find(_WORD, position)) >= 0:
        start = max(source.rfind(b"\n", 0, word) + 1, position)
        end = source.find(b"\n", word)
        position = end = len(source) if end < 0 else end
        while start < end and (begin := _BEGIN.search(source, start, end)):
            match = _IMPORT.match(source, begin.start())
            if match is None or begin.group() == b"#":
                break
            yield match
            start = match.end()
            position = max(position, start)


def _module(path: str) -> str:
    """Returns the path of a file without what makes it a file: `a/b` of `a/b.py`."""
    base = path.rpartition(".")[0]
    return base.removesuffix(f"{os.sep}__init__")


def _with_folders(paths: Iterable[str]) -> set[str]:
    """Returns paths with all folders that they are in."""
    places: set[str] = set()
    for path in paths:
        place = path
        while place not in places:
            places.add(place)
            place = os.path.dirname(place)  # noqa: PTH120  # strings, for speed
    return places


def _closure(first: Mapping[str, str], edges: Mapping[str, set[str]]) -> dict[str, str]:
    """Returns what can be reached, each with the name that it was reached from."""
    reached = dict(first)
    waiting = list(first)
    for path in waiting:
        for other in sorted(edges.get(path, ())):
            if other not in reached:
                reached[other] = reached[path]
                waiting.append(other)
    return reached
