# SPDX-License-Identifier: Apache-2.0
"""Which files run in one program with others: what imports these, and what all of them import.

Told by import statements alone, which are looked for in the bytes: to parse every file of a project
would take far longer than to read it. So a statement in a string counts as well. So do what imports
modules by their names, `importlib.import_module(f"models.{name}")`, and what runs scripts,
`runpy.run_path("train.py")`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lossscale_codemods.domain import ProjectFiles
from lossscale_codemods.source.reading import read
from lossscale_codemods.tables.frameworks import is_framework

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

_WORD = re.compile(rb"import\b")
# No two parts can match the same text, so that the time is linear in the length of hostile files.
_START = re.compile(rb"(?:^|[:;])[ \t\"]*(?:from[ \t]+([\w.]+)[ \t]+)?import\Z", re.MULTILINE)
_MEMBERS = re.compile(rb"[ \t]*(\([^()]*\)|(?:[^\n#;\\]|\\\n)*)")
_MODULES = re.compile(rb"[ \t]+([\w.][^\n#;]*)")
_NAME = re.compile(rb"[\w.]+(?:\s+as\s+\w+)?")


_IMPORTING: Final = (b"import_module", b"__import__", b"run_module", b"resolve_name")
"""Functions that import a module by its name."""
_RUNNING: Final = (
    b"run_path", b"exec(", b"execfile", b"%run", b"spec_from_file_location", b"load_source",
)  # fmt: skip
"""What runs a script by its path."""
_MODULE = re.compile(
    rb"\b(?:%s)\(\s*[fFrR]?[\"'](\.*\w[\w.]*|\.)([\"']\s*[,)]|:)?" % b"|".join(_IMPORTING)
)
_SCRIPT = re.compile(rb"(?<![\w.-])(?:[\w.-]+/)*[\w-][\w.-]*\.py\b")


def module_names(source: bytes) -> Iterator[tuple[str, bool]]:
    """Yields the modules that a program imports by their names, as far as it says them.

    With each, it yields whether that is a package, any module of which is meant.
    """
    if not any(word in source for word in _IMPORTING):
        return
    for match in _MODULE.finditer(source):
        dotted = match[1].decode("utf-8", "replace")
        if match[2]:
            yield dotted.rstrip("."), False
        else:
            yield dotted.rpartition(".")[0] or ".", True


def scripts(source: bytes) -> Iterator[str]:
    """Yields the paths of scripts that a program can run."""
    if any(word in source for word in _RUNNING):
        for match in _SCRIPT.finditer(source):
            yield match[0].decode("utf-8", "replace")


def _import_statements(source: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yields the module of each `from` import, and the names that an import lists."""
    after = 0
    for word in _WORD.finditer(source):
        line = source.rfind(b"\n", after, word.start()) + 1
        start = _START.search(source, max(line, after), word.end())
        after = word.end()
        if start is not None:
            module = start[1] or b""
            listed = (_MEMBERS if module else _MODULES).match(source, after)
            if listed is not None:
                yield module, listed[1]


class ImportGraph:
    """Which of a project's files import which.

    Args:
        names: The names of the files.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = {os.path.abspath(name): name for name in names}  # noqa: PTH100  # resolve() would follow links
        self._imported: dict[str, set[str]] = {}
        self._importing: dict[str, set[str]] = {}
        for path in self._names:
            self._imported[path] = {*self._files_imported(path)} & self._names.keys() - {path}
            for one in self._imported[path]:
                self._importing.setdefault(one, set()).add(path)

    def connected(self, names: Iterable[str], is_wanted: Callable[[bytes], bool]) -> dict[str, str]:
        """Returns the wanted files that run together with others, each with one of these.

        Args:
            names: The names of the others, which are not among the answers.
            is_wanted: Tells by the bytes of a file whether it is asked for.
        """
        first = {os.path.abspath(name): name for name in names}  # noqa: PTH100  # see above
        together = self._together(first)
        return {
            self._names[path]: name
            for path, name in together.items()
            if path not in first and is_wanted(_source(path))
        }

    def together(self, name: str) -> frozenset[str]:
        """Returns the absolute paths of the files that run in one program with one, itself too."""
        path = os.path.abspath(name)  # noqa: PTH100  # see above
        return frozenset(self._together({path: name}))

    def _together(self, first: Mapping[str, str]) -> dict[str, str]:
        return _closure(_closure(first, self._importing), self._imported)

    def _files_imported(self, path: str) -> Iterator[str]:
        source = _source(path)
        if path.endswith(".ipynb"):
            source = source.replace(rb"\n", b"\n").replace(b'"', b"\n")
        imported: set[str] = set()
        for module, listed in _import_statements(source):
            names = [b"", *(one.split()[0] for one in _NAME.findall(listed))]
            glue = b"" if module.endswith(b".") or not module else b"."
            paths = (module + (glue if name else b"") + name for name in names)
            imported.update(path.decode("utf-8", "replace") for path in paths)
        project = ProjectFiles(Path(path))
        for dotted, is_package in module_names(source):
            imported.add(dotted)
            if is_package:
                yield from self._files_in(project, dotted)
        for dotted in imported:
            if not is_framework(dotted):
                yield from (str(file) for file, _ in project.modules(dotted))
        for script in scripts(source):
            yield from self._scripts_at(project.path.parent, script)

    def _files_in(self, project: ProjectFiles, package: str) -> Iterator[str]:
        """Yields the files of a package, one of which is imported by a name made at run time."""
        parts = [part for part in package.split(".") if part]
        folders = project.homes(parts[0]) if parts else [project.path.parent]
        inside = tuple(f"{folder.joinpath(*parts)}{os.sep}" for folder in folders)
        yield from (name for name in self._names if name.startswith(inside))

    def _scripts_at(self, folder: Path, script: str) -> Iterator[str]:
        """Yields the file that a script's path means, from the folder of who runs it."""
        for relative in (script, script.rpartition("/")[2]):
            path = os.path.normpath(folder / relative)
            if path in self._names:
                yield path
                return


def _source(path: str) -> bytes:
    """Returns what is in a file; nothing if it cannot be read."""
    try:
        return read(path)
    except OSError:
        return b""


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
