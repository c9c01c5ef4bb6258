# SPDX-License-Identifier: Apache-2.0
"""`.gitignore` files, as git reads them: https://git-scm.com/docs/gitignore#_pattern_format."""

from __future__ import annotations

import dataclasses
import functools
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@dataclasses.dataclass(frozen=True)
class Pattern:
    """One line of a `.gitignore`.

    Attributes:
        line: The line as it is written.
        regex: Matches the paths it means, relative to the file's folder, with `/` between parts.
        negated: Whether it takes files back in.
        only_folders: Whether it means folders only.
    """

    line: str
    regex: re.Pattern[str]
    negated: bool
    only_folders: bool


@dataclasses.dataclass(frozen=True)
class IgnoreFile:
    """The patterns of one `.gitignore`."""

    folder: Path
    patterns: tuple[Pattern, ...]

    @classmethod
    def read(cls, path: Path) -> IgnoreFile | None:
        """Reads a file; nothing if there is none.

        Raises:
            OSError: There is one, and it cannot be read.
        """
        try:
            text = path.read_text("utf-8", errors="replace")
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        patterns = tuple(p for p in map(parse, text.splitlines()) if p is not None)
        return cls(path.parent, patterns)

    @functools.cached_property
    def _any(self) -> re.Pattern[str]:
        """Matches every path that one of the patterns matches."""
        return re.compile("|".join(f"(?:{pattern.regex.pattern})" for pattern in self.patterns))

    def match(self, relative: str, *, is_folder: bool) -> Pattern | None:
        """Returns the last pattern that says something about a path, which starts at the folder."""
        if not self.patterns or not self._any.fullmatch(relative):
            return None
        found = None
        for pattern in self.patterns:
            if (is_folder or not pattern.only_folders) and pattern.regex.fullmatch(relative):
                found = pattern
        return found


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
    """Parses one line; nothing for comments and empty lines."""
    text = line.rstrip("\r\n")
    while text.endswith(" ") and not text.endswith("\\ "):
        text = text[:-1]
    if not text or text.startswith("#"):
        return None
    negated = text.startswith("!")
    body = text[1:] if negated else text
    only_folders = body.endswith("/")
    body = body.rstrip("/")
    if not body:
        return None
    anchored = "/" in body
    try:
        regex = re.compile(("" if anchored else "(?:.*/)?") + _translate(body.lstrip("/")))
    except re.error:
        return None
    return Pattern(text, regex, negated, only_folders)


def _translate(glob: str) -> str:
    """Returns the regular expression of a glob in which `*` stops at `/` and `**` does not."""
    out, i = [], 0
    while i < len(glob):
        if glob.startswith("**/", i) and (i == 0 or glob[i - 1] == "/"):
            out.append("(?:.*/)?")
            i += 3
        elif glob.startswith("**", i) and i + 2 == len(glob) and (i == 0 or glob[i - 1] == "/"):
            out.append(".+")
            i += 2
        elif glob[i] == "*":
            out.append("[^/]*")
            i += 1
            while i < len(glob) and glob[i] == "*":
                i += 1
        elif glob[i] == "?":
            out.append("[^/]")
            i += 1
        elif glob[i] == "[" and "]" in glob[i + 2 :]:
            end = glob.index("]", i + 2)
            inside = glob[i + 1 : end]
            inside = "^" + inside[1:] if inside[0] in "!^" else inside
            out.append("[" + inside.replace("\\", "\\\\") + "]")
            i = end + 1
        elif glob[i] == "\\" and i + 1 < len(glob):
            out.append(re.escape(glob[i + 1]))
            i += 2
        else:
            out.append(re.escape(glob[i]))
            i += 1
    return "".join(out)
