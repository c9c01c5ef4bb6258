# SPDX-License-Identifier: Apache-2.0
"""The files of a project as one of them imports them, for what is asked across files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from lossscale_codemods.project.file_reading import read
from lossscale_codemods.project.relative_imports import homes, module_file, relative_imports

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class ProjectImports:
    """What the imports of a file lead to. Calling it does what `relative_imports` gives.

    Args:
        path: The file.
        mentions: Words, each with the files that have it in them, as far as they are known. Without
            this, the file and what it imports are taken for the whole program.
        may_ask: Whether other words can still be found out.
    """

    def __init__(
        self,
        path: Path,
        mentions: Mapping[str, Sequence[str]] | None = None,
        *,
        may_ask: bool = True,
    ) -> None:
        self.path = _normal(path)
        self.asked: set[str] = set()
        """The words of which it is to be found out which files have them."""
        self._mentions = mentions
        self._may_ask = may_ask
        self._sources: dict[Path, bytes | None] = {}
        self._relative = relative_imports(self.path)
        self._located: dict[str, tuple[Path, Sequence[str]] | None] = {}

    @property
    def is_asking(self) -> bool:
        """Whether files that have some words in them are still to be found."""
        return bool(self.asked)

    def __call__(self, path: str) -> str | None:
        """Returns the path outside of the project that a path within it stands for."""
        return self._relative(path)

    def seen_from(self, path: Path) -> ProjectImports:
        """Returns the project as another file imports it."""
        other = ProjectImports(path, self._mentions, may_ask=self._may_ask)
        other.asked, other._sources = self.asked, self._sources
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
        if path not in self._sources:
            try:
                self._sources[path] = read(str(path))
            except OSError:
                self._sources[path] = None
        return self._sources[path]

    def mentioning(self, word: str) -> Sequence[Path] | None:
        """Returns the files that have a word in them; nothing if that is not known yet."""
        if self._mentions is None:
            return ()
        if word not in self._mentions:
            if self._may_ask:
                self.asked.add(word)
            return None
        return [Path(name) for name in self._mentions[word]]


def mentions_in(files: Iterable[str], words: Iterable[str]) -> dict[str, list[str]]:
    """Returns for each word the files that have it in them.

    Args:
        files: The names of the files to read.
        words: The words.
    """
    encoded = {word: os.fsencode(word) for word in sorted(words)}
    files_with: dict[str, list[str]] = {word: [] for word in encoded}
    for name in dict.fromkeys(os.path.abspath(name) for name in files):  # noqa: PTH100  # resolve() would follow links
        try:
            source = read(name)
        except OSError:
            continue
        for word, code in encoded.items():
            if code in source:
                files_with[word].append(name)
    return files_with


def _normal(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100  # resolve() would follow links
