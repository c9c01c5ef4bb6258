# SPDX-License-Identifier: Apache-2.0
"""Which files a run looks at: folders are walked, honouring `.gitignore` and the usual excludes."""

from __future__ import annotations

import dataclasses
import errno
import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from lossscale_codemods.project.gitignore import IgnoreFile, ignoring

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SUFFIXES = (".py", ".pyi", ".ipynb")
EXCLUDED_FOLDERS = frozenset(
    {
        ".bzr",
        ".direnv",
        ".eggs",
        ".git",
        ".hg",
        ".ipynb_checkpoints",
        ".mypy_cache",
        ".nox",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        "__pycache__",
        "__pypackages__",
        "node_modules",
        "site-packages",
        "venv",
    }
)
_CHECKPOINTS = ".ipynb_checkpoints"
"""Copies of notebooks that Jupyter keeps. Users see them and may have added them to the tree."""
_SHEBANG = re.compile(rb"(?:\xef\xbb\xbf)?#!.*python")
_LONGEST_SHEBANG = 128
_NOTHING_THERE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})


@dataclasses.dataclass(frozen=True)
class DiscoveredFile:
    """A file to look at.

    Attributes:
        name: The file's path, spelled from the path that was named.
        root: The real path of the folder that was named; nothing outside it is written.
    """

    name: str
    root: str

    @property
    def path(self) -> Path:
        """The file, spelled from the path that was named."""
        return Path(self.name)


@dataclasses.dataclass(frozen=True)
class Skipped:
    """A path that is not looked at, with the reason.

    Attributes:
        path: The path.
        reason: Why it is not.
        failed: Whether it should have been looked at, and could not.
    """

    path: Path
    reason: str
    failed: bool = False


def discover(
    paths: Sequence[Path], *, no_ignore: bool = False, exclude: Sequence[str] = ()
) -> Iterator[DiscoveredFile | Skipped]:
    """Yields the files below the paths, each once, in a stable order.

    Args:
        paths: Files and folders.
        no_ignore: Whether ignored and excluded files are looked at all the same.
        exclude: Names of further folders, or paths of files and folders, to leave out.
    """
    seen: set[str] = set()
    for path in paths:
        for real, entry in _discover_one(path, no_ignore, frozenset(exclude)):
            if real not in seen:
                seen.add(real)
                yield entry


def _discover_one(
    path: Path, no_ignore: bool, exclude: frozenset[str]
) -> Iterator[tuple[str, DiscoveredFile | Skipped]]:
    """Yields what is found, each with the real path of the file, by which it is known again."""
    # resolve() would follow links.
    absolute = Path(os.path.abspath(path))  # noqa: PTH100  # the current folder may be gone
    skipped = _why_skipped(path)
    read = [] if no_ignore else list(_ignore_files_above(absolute))
    ignores = [file for file in read if isinstance(file, IgnoreFile)]
    yield from ((f"skipped {file.path}", file) for file in read if isinstance(file, Skipped))
    if skipped is None and not no_ignore:
        ignored = _why_ignored(absolute, ignores, exclude)
        skipped = Skipped(path, ignored) if ignored is not None else None
    if skipped is not None:
        yield f"skipped {path}", skipped
    elif os.path.isdir(path):
        real = os.path.realpath(path)
        applying = [(file, f"{absolute.relative_to(file.folder).as_posix()}/") for file in ignores]
        top = _Folder("" if str(path) == "." else str(path), real, applying)
        yield from _Walk(real, no_ignore, exclude).below(top)
    else:
        root = os.path.realpath(absolute.parent)
        yield os.path.realpath(path), DiscoveredFile(str(path), root)


def _why_skipped(path: Path) -> Skipped | None:
    try:
        mode = path.stat().st_mode
    except OSError as error:
        if error.errno not in _NOTHING_THERE:
            return _unreachable(path, error)
        if path.is_symlink():
            return Skipped(path, "it is a link to nothing")
        return Skipped(path, "there is no such file", failed=True)
    if stat.S_ISDIR(mode) or stat.S_ISREG(mode):
        return None
    return Skipped(path, "it is no regular file")


def _unreachable(path: Path, error: OSError) -> Skipped:
    return Skipped(path, f"it cannot be reached: {error.strerror or error}", failed=True)


def _why_ignored(path: Path, ignores: Sequence[IgnoreFile], exclude: frozenset[str]) -> str | None:
    if path.name in EXCLUDED_FOLDERS and os.path.isdir(path):
        return _left_out(path.name)
    if path.name in exclude:
        return "the configuration excludes it; --no-ignore overrides"
    for part in [*reversed(path.parents), path]:
        inner = [
            (i, part.relative_to(i.folder).as_posix()) for i in ignores if i.folder in part.parents
        ]
        ignored_by = ignoring(inner, is_folder=os.path.isdir(part))
        if ignored_by is not None:
            file, pattern = ignored_by
            where = file.folder / ".gitignore"
            return f"{where} ignores it by the line {pattern.line!r}; --no-ignore overrides"
    return None


def _ignore_file(folder: Path) -> IgnoreFile | Skipped | None:
    path = folder / ".gitignore"
    try:
        return IgnoreFile.read(path)
    except OSError as error:
        if not os.path.lexists(path):
            return None
        why = f"it cannot be read, so nothing is left out for its sake: {error.strerror}"
        return Skipped(path, why, failed=True)


def _ignore_files_above(path: Path) -> Iterator[IgnoreFile | Skipped]:
    """Yields the `.gitignore` files that apply to a path, from the repository's top down."""
    folders = []
    for folder in path.parents:
        folders.append(folder)
        if os.path.exists(folder / ".git"):
            break
    else:
        folders = [path.parent]
    for folder in reversed(folders):
        ignore_file = _ignore_file(folder)
        if ignore_file is not None:
            yield ignore_file


@dataclasses.dataclass(frozen=True)
class _Folder:
    """A folder on the way.

    Attributes:
        shown: The folder, spelled from the path that was named.
        real: Its real path.
        applying: The `.gitignore` files above it, each with the folder's path from there.
    """

    shown: str
    real: str
    applying: Sequence[tuple[IgnoreFile, str]]


@dataclasses.dataclass(frozen=True)
class _Walk:
    """A walk through a folder that was named.

    Paths are strings here: on a tree of small files, path objects would take longer than reading.
    """

    root: str
    no_ignore: bool
    exclude: frozenset[str]

    def below(self, top: _Folder) -> Iterator[tuple[str, DiscoveredFile | Skipped]]:
        """Yields what is in a folder, and in the folders in it."""
        # No call for each level: there can be more levels than Python has calls.
        entered = [self._inside(top)]
        while entered:
            one = next(entered[-1], None)
            if one is None:
                entered.pop()
            elif isinstance(one, _Folder):
                entered.append(self._inside(one))
            else:
                yield one

    def _inside(self, folder: _Folder) -> Iterator[_Folder | tuple[str, DiscoveredFile | Skipped]]:
        """Yields the folders and files of one folder, by their names."""
        shown, applying = folder.shown, folder.applying
        try:
            with os.scandir(folder.real) as scanned:
                entries = sorted(scanned, key=lambda entry: entry.name)
        except OSError as error:
            reason = f"the folder cannot be read: {error.strerror}"
            yield f"skipped {shown}", Skipped(Path(shown), reason, failed=True)
            return
        if not self.no_ignore and any(entry.name == ".gitignore" for entry in entries):
            own = _ignore_file(Path(folder.real))
            if isinstance(own, IgnoreFile):
                applying = [*applying, (own, "")]
            elif own is not None:
                yield (
                    f"skipped {own.path}",
                    dataclasses.replace(own, path=Path(shown, ".gitignore")),
                )
        for entry in entries:
            name = entry.name
            path = os.path.join(shown, name)  # noqa: PTH118  # see the class
            try:
                is_folder = entry.is_dir(follow_symlinks=False)
                may_be_script = not is_folder and not name.endswith(SUFFIXES)
                if may_be_script and "." in name:
                    continue
                if not self.no_ignore and self._leaves_out(name, is_folder, applying):
                    if is_folder and name == _CHECKPOINTS and not self._ignores(name, applying):
                        yield f"skipped {path}", Skipped(Path(path), _left_out(name))
                    continue
                if may_be_script and not _is_script(entry):
                    continue
                if is_folder:
                    inner = [(file, f"{above}{name}/") for file, above in applying]
                    yield _Folder(path, entry.path, inner)
                else:
                    yield self._file(entry, path)
            except OSError as error:
                yield f"skipped {path}", _unreachable(Path(path), error)

    def _file(self, entry: os.DirEntry[str], path: str) -> tuple[str, DiscoveredFile | Skipped]:
        reason = "it is a link to nothing, or to a folder"
        try:
            if entry.is_file():
                real = os.path.realpath(entry.path) if entry.is_symlink() else entry.path
                return real, DiscoveredFile(path, self.root)
        except OSError as error:
            if error.errno not in _NOTHING_THERE:
                raise
        reason = reason if entry.is_symlink() else "it is no regular file"
        return f"skipped {path}", Skipped(Path(path), reason)

    def _leaves_out(
        self, name: str, is_folder: bool, applying: Sequence[tuple[IgnoreFile, str]]
    ) -> bool:
        if name in self.exclude or (is_folder and name in EXCLUDED_FOLDERS):
            return True
        below = [(file, above + name) for file, above in applying]
        return bool(below) and ignoring(below, is_folder=is_folder) is not None

    def _ignores(self, name: str, applying: Sequence[tuple[IgnoreFile, str]]) -> bool:
        """Whether a `.gitignore` file, or the configuration, leaves a folder out."""
        below = [(file, above + name) for file, above in applying]
        return name in self.exclude or bool(below and ignoring(below, is_folder=True) is not None)


def _left_out(name: str) -> str:
    return f"folders called {name} are left out; --no-ignore overrides"


def _is_script(entry: os.DirEntry[str]) -> bool:
    """Whether a file without a suffix is a Python program, as its first line says.

    It need not be executable: it can be run by `python NAME`, and copies lose their mode.
    """
    try:
        if not entry.is_file():
            return False
        # Whatever took its place meanwhile, a pipe for one, must not block.
        descriptor = os.open(entry.path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        return _SHEBANG.match(os.read(descriptor, _LONGEST_SHEBANG)) is not None
    except OSError:
        return False
    finally:
        os.close(descriptor)
