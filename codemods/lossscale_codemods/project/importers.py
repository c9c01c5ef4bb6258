# SPDX-License-Identifier: Apache-2.0
"""Which names of a file other files use, so that they cannot be removed or change their meaning.

Asked of the other files as they will be, so that an import that is rewritten as well counts no
more. A name is the module's (`mp`), or with a dot the attribute of a class in it (`.mp`). Where a
file cannot be followed, because it is a notebook or hands the module on, it is enough to say it.
"""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from lossscale_codemods.project.discovery import DiscoveredFile, discover
from lossscale_codemods.project.file_reading import read
from lossscale_codemods.project.module_reads import Reads, reads_of
from lossscale_codemods.project.relative_imports import is_top, module_at
from lossscale_codemods.vocabulary.frameworks import is_framework

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from lossscale_codemods.vocabulary.records import Result

_MOST_FILES = 5_000
"""A folder that happens to hold more than this is not one project."""
_DEEPEST = 4
_SPACE = rb"[ \t\f\\\r\n]"
_STAR = re.compile(rb"import%s*\*" % _SPACE)


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
        user_of = {}
        for name in names:
            user = self._user(here, name, {here})
            if user is not None:
                user_of[name] = user
        return user_of

    def _user(self, module: Path, name: str, seen: set[Path]) -> Path | None:
        word = name.removeprefix(".").encode()
        stem = os.fsencode(module_name(module))
        says_name = _word(word)
        inside = module.parent if module.stem == "__init__" else None
        star = _star_import_of(stem, of_package=inside is not None)
        for other, source in self.texts.items():
            if other in seen or not (word in source or star.search(source)):
                continue
            if name.startswith("."):
                if word in source and self._uses_attribute(other, source, name):
                    return other
                continue
            if stem not in source and (inside is None or inside not in other.parents):
                continue
            reads = reads_of(other, source)
            if reads is None:
                if _word(stem).search(source) and says_name.search(source):
                    return other
                continue
            if says_name.search(source) and self._uses(reads, module, name):
                return other
            if self._gets_by_star(reads, module, name):
                # What a star import brings in, the file may itself offer to others.
                user = (
                    other
                    if name in reads.loaded
                    else self._user(other, name, seen | {module, other})
                )
                if user is not None:
                    return user
        return None

    def _uses_attribute(self, other: Path, source: bytes, name: str) -> bool:
        reads = reads_of(other, source)
        if reads is None:
            return _word(name[1:].encode()).search(source) is not None
        return name[1:] in reads.attributes or name[1:] in reads.strings

    def _uses(self, reads: Reads, module: Path, name: str) -> bool:
        dotted = f"{module_name(module)}.{name}"
        if any(s == dotted or s.endswith("." + dotted) for s in reads.strings):
            return True
        if reads.imports_dynamically and any(
            self._refers(reads, s, module) for s in reads.strings if s
        ):
            return True
        if any(n == name and self._refers(reads, m, module) for m, n in reads.members):
            return True
        for chain in reads.chains:
            parts = chain.split(".")
            dots = len(chain) - len(chain.lstrip("."))
            for end in range(dots + 1, len(parts) + 1):
                # A module that is handed on can be asked for anything.
                asked = end == len(parts) or parts[end] == name
                path = ".".join(parts[:end])
                if asked and self._refers(reads, path, module) and not self._defines(reads, path):
                    return True
        return False

    def _defines(self, reads: Reads, dotted: str) -> bool:
        """Whether `from package import name` gives a function or class of the package itself."""
        package, _, name = dotted.rpartition(".")
        leading = len(dotted) - len(dotted.lstrip("."))
        package = package if package.strip(".") else "." * leading
        if (package, name) not in reads.members:
            return False
        folders = [*reads.path.parents][leading - 1 : leading] if leading else reads.path.parents
        parts = [part for part in package.split(".") if part]
        files = (module_at(folder.joinpath(*parts)) for folder in folders)
        file = next((one for one in files if one is not None), None)
        file_reads = reads_of(file, self._source(file)) if file is not None else None
        return file_reads is not None and name in file_reads.defined

    def _gets_by_star(self, reads: Reads, module: Path, name: str) -> bool:
        return (
            not name.startswith("_")
            and name not in reads.bound
            and any(n == "*" and self._refers(reads, m, module) for m, n in reads.members)
        )

    def _refers(self, reads: Reads, dotted: str, module: Path, depth: int = 0) -> bool:
        """Whether a dotted module path, as a file writes it, can be a module."""
        home = module.parent if module.stem == "__init__" else module.with_suffix("")
        name = dotted.lstrip(".")
        parts = name.split(".") if name else []
        if dotted.startswith("."):
            folder = reads.path.parent
            for _ in range(len(dotted) - len(name) - 1):
                folder = folder.parent
            if folder.joinpath(*parts) == home:
                return True
            return self._member_refers([folder], parts, module, depth) is True
        if parts[-1] != home.name:
            return False
        if is_framework(name):
            return home.parts[-len(parts) :] == tuple(parts)
        for folder in reads.path.parents:
            base = folder.joinpath(*parts)
            if module_at(base) is not None:
                return base == home
        refers = self._member_refers(reads.path.parents, parts, module, depth)
        if refers is not None:
            return refers
        return home.parts[-len(parts) :] == tuple(parts) or self._is_below_top(home, parts[1:])

    def _member_refers(
        self, folders: Sequence[Path], parts: Sequence[str], module: Path, depth: int
    ) -> bool | None:
        """Whether what a module has under some name can be another; `None` if it is not there."""
        for folder in folders:
            for end in range(len(parts) - 1, 0, -1):
                file = module_at(folder.joinpath(*parts[:end]))
                if file is not None:
                    alone = end == len(parts) - 1 and depth < _DEEPEST
                    return alone and self._has(file, parts[end], module, depth)
        return None

    def _has(self, file: Path, name: str, module: Path, depth: int) -> bool:
        """Whether a module can be had from another file under its own name."""
        source = self._source(file)
        reads = reads_of(file, source)
        if reads is None:
            return True
        targets = reads.targets.get(name, set())
        return any(self._refers(reads, target, module, depth + 1) for target in targets) or (
            not targets and name not in reads.defined and can_hand_on(source)
        )

    def _source(self, file: Path) -> bytes:
        """Returns what is in a file as it will be; nothing if it cannot be read."""
        source = self.texts.get(file)
        if source is None:
            try:
                source = read(str(file))
            except OSError:
                source = b""
        return source

    @staticmethod
    def _is_below_top(home: Path, parts: Sequence[str]) -> bool:
        """Whether a path leads to a module from the top of its project, whatever that is called."""
        top = next((folder for folder in home.parents if is_top(folder)), None)
        return top is None or list(home.relative_to(top).parts) == list(parts)


def _absolute(name: str) -> str:
    return os.path.abspath(name)  # noqa: PTH100  # resolve() would follow links


def _word(text: bytes) -> re.Pattern[bytes]:
    """A word by itself. Bytes of letters beyond ASCII are part of a word too."""
    return re.compile(rb"(?<![\w\x80-\xff])%s(?![\w\x80-\xff])" % re.escape(text))


def _star_import_of(stem: bytes, *, of_package: bool) -> re.Pattern[bytes]:
    """The end of a star import of a module; of a package, by its dots only, too."""
    module = re.escape(stem) + (rb"|\." if of_package else b"")
    return re.compile(rb"(?:%s)%s*%s" % (module, _SPACE, _STAR.pattern))


def module_name(path: Path) -> str:
    """Returns the last part of the name that a file is imported under."""
    return path.parent.name if path.stem == "__init__" else path.stem


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
