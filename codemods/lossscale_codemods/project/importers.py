# SPDX-License-Identifier: Apache-2.0
"""Which files run in one program with others, and which names they use of each other.

Files run together if the one imports the other. That is told by import statements alone, which are
looked for in the bytes: to parse every file of a project would take far longer than to read it. So
a statement in a string counts as well. So do what imports modules by their names,
`importlib.import_module(f"models.{name}")`, and what runs scripts, `runpy.run_path("train.py")`.

A name that another file uses cannot be removed or change its meaning. The other files are asked as
they will be, so that an import that is rewritten as well counts no more. A name is the module's
(`mp`), or with a dot the attribute of a class in it (`.mp`). Where it is not sure that a file means
this module, it is enough that it can.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import itertools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from lossscale_codemods.domain import ProjectFiles, is_top, member_path
from lossscale_codemods.project.discovery import DiscoveredFile, discover
from lossscale_codemods.source.notebook_cells import NotebookError, as_program, code_cells
from lossscale_codemods.source.reading import parsed, read, text_of
from lossscale_codemods.tables.frameworks import is_framework
from lossscale_codemods.tables.records import Result

_IMPORT = re.compile(rb"import\b")
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
    for word in _IMPORT.finditer(source):
        line = source.rfind(b"\n", after, word.start()) + 1
        start = _START.search(source, max(line, after), word.end())
        after = word.end()
        if start is not None:
            module = start[1] or b""
            listed = (_MEMBERS if module else _MODULES).match(source, after)
            if listed is not None:
                yield module, listed[1]


class ImportGraph:
    """Which of a project's files import which."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = {_absolute(name): name for name in names}
        self._imported: dict[str, set[str]] = {}
        self._importing: dict[str, set[str]] = {}
        for path in self._names:
            self._imported[path] = (self._names.keys() & self._files_imported(path)) - {path}
            for one in self._imported[path]:
                self._importing.setdefault(one, set()).add(path)

    def connected(self, names: Iterable[str], is_wanted: Callable[[bytes], bool]) -> dict[str, str]:
        """Returns the wanted files that run together with others, each with one of these."""
        first = {_absolute(name): name for name in names}
        together = self._together(first)
        return {
            self._names[path]: name
            for path, name in together.items()
            if path not in first and is_wanted(_source(path))
        }

    def together(self, name: str) -> frozenset[str]:
        """Returns the absolute paths of the files that run in one program with one, itself too."""
        path = _absolute(name)
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
        paths = [os.path.normpath(folder / one) for one in (script, script.rpartition("/")[2])]
        yield from [path for path in paths if path in self._names][:1]


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


_MOST_FILES = 5_000
"""A folder that happens to hold more than this is not one project."""
_LONGEST = 20
"""Parts of a path that are looked at."""
_WORD = re.compile(r"\w+")
_PATH = re.compile(r"\.*\w+(?:\.\w+)*")
_STAR = re.compile(rb"import[ \t\f\\\r\n]*\*")
_DYNAMIC = (b"import_module", b"__import__", b"sys.modules")
"""What makes a module the value of any name."""
_BY_NAME = frozenset({"getattr", "hasattr", "setattr", "delattr", "attrgetter", "object"})
"""Functions that look up an attribute by its name, `mock.patch.object` among them."""


def used_by_others(
    results: Mapping[str, Result], others: Callable[[], Iterable[str]]
) -> dict[str, dict[str, str]]:
    """Returns the names that a run would change although other files use them.

    Args:
        results: What the run makes of files, by their names.
        others: Finds the names of all files that may use names of these.

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
    words = [name.removeprefix(".").encode() for names in changing.values() for name in names]
    sources: dict[Path, bytes] = {}
    texts = {_absolute(name): result.output for name, result in results.items()}
    for name in others():
        # Strings: on a large tree, path objects would take longer than reading.
        here = _absolute(name)
        with contextlib.suppress(OSError):
            source = texts[here] if here in texts else read(name)
            if any(word in source for word in words) or _STAR.search(source):
                sources[Path(here)] = source
    used = {}
    for file, names in changing.items():
        module = Path(_absolute(file))
        found = ((name, _user(module, name, sources, {module})) for name in names)
        users = {n: os.path.relpath(user, module.parent) for n, user in found if user is not None}
        if users:
            used[file] = users
    return used


def _user(module: Path, name: str, sources: Mapping[Path, bytes], seen: set[Path]) -> Path | None:
    """Returns a file that uses a name of a module, of those that have the name or a star import."""
    home = os.fsencode(_imported_as(module))
    for other, source in sources.items():
        is_near = module.stem == "__init__" and module.parent in other.parents
        is_named = is_near or name.startswith(".") or home in source
        if other in seen or not is_named:
            continue
        said = _said(source, is_notebook=other.suffix == ".ipynb")
        if name.startswith("."):
            if name[1:] in said.attributes:
                return other
        elif name in said.members or (said.has_star and name in said.loaded):
            if _can_mean(other, said, module):
                return other
        elif said.has_star and not name.startswith("_") and _can_mean(other, said, module):
            # What a star import brings in, the file may itself offer to others.
            user = _user(other, name, sources, seen | {module, other})
            if user is not None:
                return user
    return None


class _Said(NamedTuple):
    """What a file says of others.

    Attributes:
        paths: The dotted paths that it imports or reads, and its strings.
        members: What it imports or reads of other modules, as far as these are no frameworks, and
            the last parts of strings that are paths.
        attributes: The same of anything, and not of modules alone.
        loaded: The names that it reads.
        has_star: Whether it imports all that a module offers.
    """

    paths: set[str]
    members: set[str]
    attributes: set[str]
    loaded: set[str]
    has_star: bool


def _imported_as(module: Path) -> str:
    return module.parent.name if module.stem == "__init__" else module.stem


def _can_mean(other: Path, said: _Said, module: Path) -> bool:
    """Whether a path that a file says can be a module."""
    name = _imported_as(module)
    project = ProjectFiles(other)
    for path in said.paths:
        located = project.locate(path)
        # Another module can hand it on: `from .engine import train`.
        file, rest = located if located is not None else (None, path.split("."))
        if file == module or name in rest:
            return True
    return False


@functools.lru_cache(maxsize=512)
def _said(source: bytes, *, is_notebook: bool) -> _Said:
    tree = _parsed_cells(source) if is_notebook else parsed(source)
    if tree is None:
        # It may mean anything with its words.
        words = set(_WORD.findall(source.replace(rb"\n", b"\n").decode("utf-8", "replace")))
        return _Said(words, words, words, words, _STAR.search(source) is not None)
    said = _Said(set(), set(), set(), set(), _STAR.search(source) is not None)
    imported: list[tuple[str, str]] = []
    assigned: set[str] = set()
    nodes = list(ast.walk(tree))
    for node in nodes:
        match node:
            case ast.Import(names=names):
                imported += [(one.asname or one.name.partition(".")[0], one.name) for one in names]
            case ast.ImportFrom(names=names):
                home = "." * node.level + (node.module or "")
                imported += [(one.asname or one.name, member_path(home, one.name)) for one in names]
                if not is_framework(home):
                    said.members.update(one.name for one in names)
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                assigned.add(name)
    said.paths.update(path for _, path in imported)
    of_frameworks = {name for name, path in imported if is_framework(path)}
    # Anything can be a module, where modules are made values.
    is_dynamic = any(word in source for word in _DYNAMIC)
    no_modules = set() if is_dynamic else assigned - {name for name, _ in imported}
    for node in nodes:
        match node:
            case ast.Attribute(attr=name):
                path = _dotted(node)
                root = path.partition(".")[0]
                if root not in of_frameworks:
                    said.paths.add(path)
                    (said.attributes if root in no_modules else said.members).add(name)
            case ast.Name(id=name, ctx=ast.Load()):
                said.loaded.add(name)
            case ast.Constant(value=str(text)) if _PATH.fullmatch(text):
                said.paths.add(text)
                (said.members if "." in text else said.attributes).add(_last(text))
            case ast.Call(func=func, args=arguments) if _last(_dotted(func)) in _BY_NAME:
                given = (one.value for one in arguments if isinstance(one, ast.Constant))
                said.members.update(one for one in given if isinstance(one, str))
    said.attributes.update(said.members)
    return said


def _parsed_cells(notebook: bytes) -> ast.Module | None:
    """Returns the code of a notebook without its magics, if Python parses it."""
    try:
        program, _ = as_program(code_cells(text_of(notebook)))
    except NotebookError:
        return None
    return parsed(program.encode("utf-8", "surrogatepass"))


def _last(path: str) -> str:
    return path.rpartition(".")[2]


def _dotted(node: ast.expr) -> str:
    """Returns the path of an attribute; `?` stands for what it is read of, if that is no name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < _LONGEST:
        parts.append(node.attr)
        node = node.value
    parts.append(node.id if isinstance(node, ast.Name) else "?")
    return ".".join(reversed(parts))


def _absolute(name: str) -> str:
    return os.path.abspath(name)  # noqa: PTH100  # resolve() would follow links


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
