# SPDX-License-Identifier: Apache-2.0
"""Which files a run looks at: folders are walked, honouring `.gitignore` and the usual excludes."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import TYPE_CHECKING

from lossscale_codemods.ignore_files import IgnoreFile, ignoring

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


@dataclasses.dataclass(frozen=True)
class Found:
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
) -> Iterator[Found | Skipped]:
    """Yields the files below the paths, each once, in a stable order.

    Args:
        paths: Files and folders.
        no_ignore: Whether ignored and excluded files are looked at all the same.
        exclude: Names of further folders, or paths of files and folders, to leave out.
    """
    seen: set[str] = set()
    for path in paths:
        for real, found in _discover_one(path, no_ignore, frozenset(exclude)):
            if real not in seen:
                seen.add(real)
                yield found


def _discover_one(
    path: Path, no_ignore: bool, exclude: frozenset[str]
) -> Iterator[tuple[str, Found | Skipped]]:
    """Yields what is found, each with the real path of the file, by which it is known again."""
    # resolve() would follow links.
    absolute = Path(os.path.normpath(Path.cwd() / path))
    skipped = _why_skipped(path, absolute)
    ignores = [] if no_ignore else list(_ignore_files_above(absolute))
    if skipped is None and not no_ignore:
        skipped = _why_ignored(absolute, ignores, exclude)
    if skipped is not None:
        failed = not os.path.lexists(path)
        yield f"skipped {path}", Skipped(path, skipped, failed)
    elif path.is_dir():
        real = os.path.realpath(path)
        applying = [(file, f"{absolute.relative_to(file.folder).as_posix()}/") for file in ignores]
        walk = _Walk(real, no_ignore, exclude)
        yield from walk.folder("" if str(path) == "." else str(path), real, applying)
    else:
        root = os.path.realpath(absolute.parent)
        yield os.path.realpath(path), Found(str(path), root)


def _why_skipped(path: Path, absolute: Path) -> str | None:
    if not path.exists():
        return "it is a link to nothing" if path.is_symlink() else "there is no such file"
    return None if absolute.is_dir() or path.is_file() else "it is no regular file"


def _why_ignored(path: Path, ignores: Sequence[IgnoreFile], exclude: frozenset[str]) -> str | None:
    if path.name in EXCLUDED_FOLDERS and path.is_dir():
        return f"folders called {path.name} are left out; --no-ignore overrides"
    if path.name in exclude:
        return "the configuration excludes it; --no-ignore overrides"
    for part in [*reversed(path.parents), path]:
        inner = [
            (i, part.relative_to(i.folder).as_posix()) for i in ignores if i.folder in part.parents
        ]
        found = ignoring(inner, is_folder=part.is_dir())
        if found is not None:
            file, pattern = found
            where = file.folder / ".gitignore"
            return f"{where} ignores it by the line {pattern.line!r}; --no-ignore overrides"
    return None


def _ignore_files_above(path: Path) -> Iterator[IgnoreFile]:
    """Yields the `.gitignore` files that apply to a path, from the repository's top down."""
    folders = []
    for folder in path.parents:
        folders.append(folder)
        if (folder / ".git").exists():
            break
    else:
        folders = [path.parent]
    for folder in reversed(folders):
        found = IgnoreFile.read(folder / ".gitignore")
        if found is not None:
            yield found


@dataclasses.dataclass(frozen=True)
class _Walk:
    """A walk through a folder that was named.

    Paths are strings here: on a tree of small files, path objects would take longer than reading.
    """

    root: str
    no_ignore: bool
    exclude: frozenset[str]

    def folder(
        self, shown: str, real: str, applying: Sequence[tuple[IgnoreFile, str]]
    ) -> Iterator[tuple[str, Found | Skipped]]:
        """Yields what is in a folder.

        Args:
            shown: The folder, spelled from the path that was named.
            real: Its real path.
            applying: The `.gitignore` files above it, each with the folder's path from there.
        """
        try:
            with os.scandir(real) as scanned:
                entries = sorted(scanned, key=lambda entry: entry.name)
        except OSError as error:
            reason = f"the folder cannot be read: {error.strerror}"
            yield f"skipped {shown}", Skipped(Path(shown), reason, failed=True)
            return
        if not self.no_ignore and any(entry.name == ".gitignore" for entry in entries):
            own = IgnoreFile.read(Path(real, ".gitignore"))
            applying = [*applying, (own, "")] if own is not None else applying
        for entry in entries:
            name, is_folder = entry.name, entry.is_dir(follow_symlinks=False)
            if not is_folder and not name.endswith(SUFFIXES):
                continue
            if not self.no_ignore and self._leaves_out(name, is_folder, applying):
                continue
            path = os.path.join(shown, name)  # noqa: PTH118  # see the class
            if is_folder:
                inner = [(file, f"{above}{name}/") for file, above in applying]
                yield from self.folder(path, entry.path, inner)
            elif entry.is_file():
                real_path = os.path.realpath(entry.path) if entry.is_symlink() else entry.path
                yield real_path, Found(path, self.root)
            else:
                reason = "it is a link to nothing, or to a folder"
                reason = reason if entry.is_symlink() else "it is no regular file"
                yield f"skipped {path}", Skipped(Path(path), reason)

    def _leaves_out(
        self, name: str, is_folder: bool, applying: Sequence[tuple[IgnoreFile, str]]
    ) -> bool:
        if name in self.exclude or (is_folder and name in EXCLUDED_FOLDERS):
            return True
        below = [(file, above + name) for file, above in applying]
        return bool(below) and ignoring(below, is_folder=is_folder) is not None
