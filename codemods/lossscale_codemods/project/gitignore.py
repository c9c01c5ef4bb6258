# SPDX-License-Identifier: Apache-2.0
"""`.gitignore` files, as git reads them: https://git-scm.com/docs/gitignore#_pattern_format.

Python's own `fnmatch` matches the parts of a path between slashes. `pathspec` matches whole paths,
in a time that grows with the power of a line's stars: six of them, `*a*a*a*a*a*a*b`, take it more
than a minute for a name of 100 letters, so that a stranger's file can hang a run.

Of what git knows, classes such as `[[:alpha:]]` are left out.
"""

from __future__ import annotations

import codecs
import dataclasses
import fnmatch
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from lossscale_codemods.source.reading import read_settings

_LONGEST = 4096
"""No path is longer: https://man7.org/linux/man-pages/man3/realpath.3.html."""
_NOTHING = re.compile(r"(?!)")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_TRAILING_SPACES = re.compile(r"(?<!\\) +\Z")


@dataclasses.dataclass(frozen=True)
class Pattern:
    """One line of a `.gitignore`.

    Attributes:
        line: The line as it is written.
        above: What matches the folders in a path, one after the other; nothing stands for `**`.
        name: Matches the last part of a path.
        negated: Whether it takes files back in.
        only_folders: Whether it means folders only.
    """

    line: str
    above: tuple[re.Pattern[str] | None, ...]
    name: re.Pattern[str]
    negated: bool
    only_folders: bool

    def matches(self, relative: str) -> bool:
        """Whether it means a path, which starts at the folder of the file."""
        *folders, name = relative.split("/")
        return self.name.fullmatch(name) is not None and self._matches_above(folders)

    def _matches_above(self, folders: Sequence[str]) -> bool:
        # To come back to the last `**` alone is enough: it can take what an earlier one would.
        part, position, again = 0, 0, None
        while position < len(folders):
            expected = self.above[part] if part < len(self.above) else _NOTHING
            if expected is None:
                part += 1
                again = (part, position)
            elif expected.fullmatch(folders[position]):
                part, position = part + 1, position + 1
            elif again is not None:
                part, position = again[0], again[1] + 1
                again = (part, position)
            else:
                return False
        return not any(self.above[part:])


@dataclasses.dataclass(frozen=True)
class IgnoreFile:
    """The patterns of one `.gitignore`."""

    folder: Path
    patterns: tuple[Pattern, ...]

    @classmethod
    def of(cls, folder: Path, lines: Iterable[str]) -> IgnoreFile:
        """Returns the patterns of some lines, as if they were in a file in a folder."""
        parsed = map(parse, lines)
        return cls(folder, tuple(pattern for pattern in parsed if pattern is not None))

    @classmethod
    def read(cls, path: Path) -> IgnoreFile | None:
        """Reads a file; nothing if there is none.

        Raises:
            OSError: There is one, and it cannot be read.
        """
        try:
            content = read_settings(path).removeprefix(codecs.BOM_UTF8)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        return cls.of(path.parent, os.fsdecode(content).split("\n"))

    def match(self, relative: str, *, is_folder: bool) -> Pattern | None:
        """Returns the last pattern that says something about a path, which starts at the folder."""
        for pattern in reversed(self.patterns):
            if (is_folder or not pattern.only_folders) and pattern.matches(relative):
                return pattern
        return None


def ignoring(
    files: Iterable[tuple[IgnoreFile, str]], *, is_folder: bool
) -> tuple[IgnoreFile, Pattern] | None:
    """Returns what ignores a path: the innermost file that says anything decides.

    Args:
        files: The `.gitignore` files above the path, outermost first, each with the path from
            there.
        is_folder: Whether the path is a folder.
    """
    decision = None
    for file, relative in files:
        pattern = file.match(relative, is_folder=is_folder)
        if pattern is not None:
            decision = None if pattern.negated else (file, pattern)
    return decision


def parse(line: str) -> Pattern | None:
    """Parses one line; nothing for comments, and for lines that mean no path."""
    text = _TRAILING_SPACES.sub("", line.removesuffix("\r"))
    if text.startswith("#"):
        return None
    body = text.removeprefix("!")
    path = body.removesuffix("/")
    if not path or len(path) > _LONGEST:
        return None
    # A name by itself is meant in every folder.
    parts = path.removeprefix("/").split("/") if "/" in path else ["**", path]
    *above, name = [*parts, "*"] if parts[-1] == "**" else parts
    try:
        folders = tuple(None if part == "**" else _translated(part) for part in above)
        return Pattern(text, folders, _translated(name), text != body, path != body)
    except re.error:
        return None  # Python before 3.10.5 does not read every set of characters.


def _translated(part: str) -> re.Pattern[str]:
    """Returns the expression of a part between slashes, in a form that Python shares with git."""
    unescaped = _ESCAPED.sub(lambda m: f"[{m[1]}]" if m[1] in "*?[" else m[1], part)
    return re.compile(fnmatch.translate(unescaped.replace("[^", "[!")))
