# SPDX-License-Identifier: Apache-2.0
"""Files: reading them, and what the imports of one lead to in its project."""

from __future__ import annotations

import ast
import errno
import functools
import itertools
import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from lossscale_codemods.source.reading import parsed
from lossscale_codemods.tables.frameworks import is_framework
from lossscale_codemods.tables.records import Result, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence


LARGEST_SETTINGS = 1_000_000


def read(name: str) -> bytes:
    """Returns a file's bytes."""
    with open(name, "rb", buffering=0) as file:  # noqa: PTH123  # a path object costs more
        return file.read()


def read_settings(path: str | os.PathLike[str]) -> bytes:
    """Returns the bytes of a file with settings, which a stranger may have put there.

    Args:
        path: The file. A pipe, a device or a huge file in its place would hang the run.

    Raises:
        OSError: It cannot be read, is no regular file, or has more than `LARGEST_SETTINGS` bytes.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", path)
        if status.st_size > LARGEST_SETTINGS:
            raise OSError(errno.EFBIG, "it is too large", path)
        return file.read(LARGEST_SETTINGS)


def unreadable(error: OSError) -> Result:
    """Returns what is to be said of a file that cannot be read."""
    problem = f"It cannot be read: {error.strerror or error}."
    return Result(b"", b"", Status.UNREADABLE, problem=problem)


_DEEPEST = 4
_LARGEST = 1 << 20
_FOLDERS_UP = 6
_PROJECT_MARKS = (".git", ".hg", "pyproject.toml", "setup.py", "setup.cfg")
"""The files that mark the top folder of a project."""
_NOT_AN_IMPORT = "?"


def relative_imports(path: Path) -> Callable[[str], str | None]:
    """Returns a function that finds out what a file's imports from its own project are.

    It takes the dotted path of what is imported, with dots in front if the import is relative, and
    returns the path outside of the project, if there is just one. Modules of an absolute import are
    looked for as Python would if any folder of the project above the file were on its path.
    """
    folders = list(import_folders(path))
    known: dict[str, str | None] = {}
    there: dict[str, bool] = {}

    def absolute(dotted: str) -> str | None:
        root = dotted.partition(".")[0]
        if root not in there:
            there[root] = not root or any(_has(folder, root) for folder in folders)
        if not there[root] or is_framework(dotted):
            return None
        if dotted not in known:
            known[dotted] = _absolute(path, dotted, 0)
        return known[dotted]

    return absolute


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


def homes(path: Path, root: str) -> list[Path]:
    """Returns the folders in which a file's import of a top-level module can find it."""
    return [folder for folder in import_folders(path) if _has(folder, root)]


def is_top(folder: Path) -> bool:
    """Whether a folder is the top of a project."""
    return any(os.path.exists(folder / mark) for mark in _PROJECT_MARKS)


def _has(folder: Path, root: str) -> bool:
    base = f"{folder}{os.sep}{root}"  # To join paths would take longer than to ask for them.
    return os.path.isdir(base) or os.path.isfile(f"{base}.py")


def _absolute(path: Path, dotted: str, depth: int) -> str | None:
    *module, member = dotted.lstrip(".").split(".")
    file = module_file(path, dotted[: len(dotted) - len(dotted.lstrip("."))], module)
    if file is None or depth > _DEEPEST or not member or file == path.absolute():
        return None
    resolved = {
        None if target == _NOT_AN_IMPORT else _outside(file, target, depth + 1)
        for target in _given(file, member)
    }
    return resolved.pop() if len(resolved) == 1 else None


def _outside(path: Path, target: str, depth: int) -> str | None:
    if is_framework(target):
        return target
    return _absolute(path, target, depth) or (None if target.startswith(".") else target)


def module_file(path: Path, dots: str, module: list[str]) -> Path | None:
    """Returns the file of a module that a file imports, if it is one of the project.

    Args:
        path: The file.
        dots: The dots in front of the module's path.
        module: The module's path.
    """
    if not all(part.isidentifier() for part in module):
        return None  # Text of the program's own that looks like a path, as in `x.split("/")`.
    if dots:
        return module_at(path.absolute().parents[len(dots) - 1].joinpath(*module))
    if not module:
        return None
    for folder in import_folders(path):
        if _has(folder, module[0]):
            return module_at(folder.joinpath(*module))
    return None


def module_at(base: Path) -> Path | None:
    """Returns the file of a module or package by its path without an ending, if there is one."""
    for candidate in (base.with_name(base.name + ".py"), base / "__init__.py"):
        if os.path.isfile(candidate):
            return candidate
    return None


def _given(path: Path, member: str) -> set[str]:
    """Returns what a module imports under a name."""
    try:
        about = path.stat()
        if about.st_size > _LARGEST:
            return set()
        source = _source(path, about.st_mtime_ns)
    except OSError:
        return set()
    word = re.escape(member.encode())
    # Most members are functions and classes, for which the file need not be parsed.
    if re.search(rb"^(?:class|def|async def)\s+%s\b" % word, source, re.MULTILINE):
        return set()
    return _bindings(source).get(member, set()) if member.encode() in source else set()


@functools.lru_cache(maxsize=4096)
def _source(path: Path, changed: int) -> bytes:
    del changed
    return path.read_bytes()


@functools.lru_cache(maxsize=64)
def _bindings(source: bytes) -> dict[str, set[str]]:
    """Returns the paths of what each name of a module can be, at its top level."""
    paths_of: dict[str, set[str]] = {}
    tree = parsed(source)
    if tree is None:
        return paths_of
    for node in _statements(tree.body):
        if isinstance(node, ast.Import):
            for alias in node.names:
                path = alias.name if alias.asname else alias.name.partition(".")[0]
                paths_of.setdefault(alias.asname or path, set()).add(path)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (f"{node.module}." if node.module else "")
            for alias in node.names:
                paths_of.setdefault(alias.asname or alias.name, set()).add(base + alias.name)
        elif isinstance(node, ast.Assign) and not _is_none(node.value):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    paths_of.setdefault(target.id, set()).update(_aliased(node.value, paths_of))
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            paths_of.setdefault(node.name, set()).add(_NOT_AN_IMPORT)
    return paths_of


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.Try):
            yield from _statements([*node.body, *node.orelse])
        if isinstance(node, ast.Try):
            for handler in node.handlers:
                yield from _statements(handler.body)
            yield from _statements(node.finalbody)


def _is_none(value: ast.expr) -> bool:
    """Whether a name gets nothing, as one that could not be imported."""
    return isinstance(value, ast.Constant) and value.value is None


def _aliased(value: ast.expr, paths_of: dict[str, set[str]]) -> set[str]:
    """Returns the paths of a dotted name; anything else is no import."""
    members: list[str] = []
    while isinstance(value, ast.Attribute):
        members.insert(0, value.attr)
        value = value.value
    roots = paths_of.get(value.id) if isinstance(value, ast.Name) else None
    if not roots or _NOT_AN_IMPORT in roots:
        return {_NOT_AN_IMPORT}
    return {".".join([root, *members]) for root in roots}


class ProjectImports:
    """What the imports of a file lead to. Calling it does what `relative_imports` gives.

    Args:
        path: The file.
        together: The files that run in one program with it; nothing if they are not known yet.
    """

    def __init__(self, path: Path, together: Collection[str] | None = ()) -> None:
        self.path = _normal(path)
        self.is_asking = False
        """Whether it is to be found out which files run in one program with this one."""
        self._together = together
        self._first = self
        self._sources: dict[Path, bytes | None] = {}
        self._mentioning: dict[str, list[Path]] = {}
        self._relative = relative_imports(self.path)
        self._located: dict[str, tuple[Path, Sequence[str]] | None] = {}

    def __call__(self, path: str) -> str | None:
        """Returns the path outside of the project that a path within it stands for."""
        return self._relative(path)

    def seen_from(self, path: Path) -> ProjectImports:
        """Returns the project as another file imports it."""
        other = ProjectImports(path)
        other._first = self._first
        return other

    def locate(self, path: str) -> tuple[Path, Sequence[str]] | None:
        """Returns the file that a dotted path leads into, and the names that follow."""
        if path not in self._located:
            self._located[path] = self._find(path)
        return self._located[path]

    def _find(self, path: str) -> tuple[Path, Sequence[str]] | None:
        names = path.lstrip(".")
        dots = path[: len(path) - len(names)]
        parts = names.split(".") if names else []
        if not dots and len(homes(self.path, parts[0])) > 1:
            return None  # Which of them it is depends on how the program is started.
        for end in range(len(parts), -1, -1):
            file = module_file(self.path, dots, parts[:end])
            if file is not None:
                return _normal(file), parts[end:]
        return None

    def read(self, path: Path) -> bytes | None:
        """Returns what is in a file, if it can be read."""
        sources = self._first._sources
        if path not in sources:
            try:
                sources[path] = _source(path, path.stat().st_mtime_ns)
            except OSError:
                sources[path] = None
        return sources[path]

    def mentioning(self, word: str) -> Sequence[Path] | None:
        """Returns the files of its program that have a word in them; nothing if not known yet."""
        first = self._first
        if first._together is None:
            first.is_asking = True
            return None
        if word not in first._mentioning:
            code = os.fsencode(word)
            paths = map(Path, sorted(first._together))
            first._mentioning[word] = [p for p in paths if code in (self.read(p) or b"")]
        return first._mentioning[word]


def _normal(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100  # resolve() would follow links
