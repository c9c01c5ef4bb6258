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
        path: The file, spelled from the path that was named.
        root: The folder that was named; nothing outside it is written.
    """

    path: Path
    root: Path


@dataclasses.dataclass(frozen=True)
class Skipped:
    """A path that was named and is not looked at, with the reason."""

    path: Path
    reason: str


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
        for found in _discover_one(path, no_ignore, frozenset(exclude)):
            if isinstance(found, Found):
                key = os.path.realpath(found.path)
                if key in seen:
                    continue
                seen.add(key)
            yield found


def _discover_one(
    path: Path, no_ignore: bool, exclude: frozenset[str]
) -> Iterator[Found | Skipped]:
    if not path.exists():
        reason = "it is a link to nothing" if path.is_symlink() else "there is no such file"
        yield Skipped(path, reason)
        return
    # resolve() would follow links.
    absolute = Path(os.path.normpath(Path.cwd() / path))
    ignores = [] if no_ignore else list(_ignore_files_above(absolute))
    if not no_ignore:
        ignored = _why_ignored(absolute, ignores, exclude)
        if ignored is not None:
            yield Skipped(path, ignored)
            return
    if path.is_dir():
        yield from _walk(path, absolute, Path(os.path.realpath(path)), ignores, no_ignore, exclude)
    elif not path.is_file():
        yield Skipped(path, "it is no regular file")
    else:
        yield Found(path, Path(os.path.realpath(absolute.parent)))


def _why_ignored(path: Path, ignores: Sequence[IgnoreFile], exclude: frozenset[str]) -> str | None:
    if path.name in EXCLUDED_FOLDERS and path.is_dir():
        return f"folders called {path.name} are left out; --no-ignore overrides"
    if path.name in exclude:
        return "the configuration excludes it; --no-ignore overrides"
    for part in [*reversed(path.parents), path]:
        inner = [i for i in ignores if i.folder in part.parents]
        found = ignoring(inner, part, is_folder=part.is_dir())
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


def _walk(
    shown: Path,
    folder: Path,
    root: Path,
    ignores: Sequence[IgnoreFile],
    no_ignore: bool,
    exclude: frozenset[str],
) -> Iterator[Found | Skipped]:
    own = None if no_ignore else IgnoreFile.read(folder / ".gitignore")
    applying = [*ignores, own] if own is not None else ignores
    try:
        entries = sorted(os.scandir(folder), key=lambda e: e.name)
    except OSError as error:
        yield Skipped(shown, f"the folder cannot be read: {error.strerror}")
        return
    for entry in entries:
        if entry.name in exclude and not no_ignore:
            continue
        is_folder = entry.is_dir(follow_symlinks=False)
        if not is_folder and not entry.name.endswith(SUFFIXES):
            continue
        if is_folder and entry.name in EXCLUDED_FOLDERS and not no_ignore:
            continue
        path = folder / entry.name
        if not no_ignore and applying and ignoring(applying, path, is_folder=is_folder):
            continue
        if is_folder:
            yield from _walk(shown / entry.name, path, root, applying, no_ignore, exclude)
        elif entry.is_file():
            yield Found(shown / entry.name, root)
