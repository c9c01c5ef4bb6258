# SPDX-License-Identifier: Apache-2.0
"""`.gitignore` files, as git reads them: https://git-scm.com/docs/gitignore#_pattern_format.

`pathspec` 1.1.1 was tried instead, against `git check-ignore`. In three real repositories, with 35
`.gitignore` files and 15,601 paths, both are right, and this takes 0.4 to 0.5 of its time. In 300
generated trees of 23,400 paths it differs from git in 94, this in none: it reads `?` and `[!a]` as
characters where git has bytes, `[[:alpha:]]` as letters, and raises at some lines with a backslash.
Its time grows with the power of a line's stars: six of them, `*a*a*a*a*a*a*b`, take it more than a
minute for a name of 100 letters, so that a stranger's file can hang a run.
"""

from __future__ import annotations

import codecs
import dataclasses
import functools
import itertools
import os
import re
import string
from typing import TYPE_CHECKING

from lossscale_codemods.project.files import read_settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


@dataclasses.dataclass(frozen=True)
class Pattern:
    """One line of a `.gitignore`.

    Attributes:
        line: The line as it is written.
        regex: Matches the paths it means, from the file's folder on: their bytes as latin-1 text.
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
    def of(cls, folder: Path, lines: Iterable[str]) -> IgnoreFile:
        """Returns the patterns of some lines, as if they were in a file in a folder."""
        parsed = (parse(os.fsencode(line).decode("latin-1")) for line in lines)
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
        lines = content.decode("latin-1").split("\n")
        patterns = tuple(p for p in map(parse, lines) if p is not None)
        return cls(path.parent, patterns)

    @functools.cached_property
    def _any(self) -> re.Pattern[str]:
        """Matches every path that one of the patterns matches."""
        return re.compile(
            "|".join(f"(?:{pattern.regex.pattern})" for pattern in self.patterns), re.DOTALL
        )

    def match(self, relative: str, *, is_folder: bool) -> Pattern | None:
        """Returns the last pattern that says something about a path, which starts at the folder."""
        if not self.patterns:
            return None
        relative = os.fsencode(relative).decode("latin-1")
        if not self._any.fullmatch(relative):
            return None
        last = None
        for pattern in self.patterns:
            if (is_folder or not pattern.only_folders) and pattern.regex.fullmatch(relative):
                last = pattern
        return last


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
    """Parses one line; nothing for comments, empty lines, and what matches nothing.

    Args:
        line: The line, its bytes as latin-1 text.
    """
    text = _without_trailing_spaces(line.removesuffix("\r"))
    if not text or text.startswith("#"):
        return None
    negated = text.startswith("!")
    body = text[1:] if negated else text
    only_folders = body.endswith("/")
    body = body.removesuffix("/")
    if not body:
        return None
    is_path = "/" in body
    try:
        glob = translate(body.removeprefix("/"), is_path=is_path)
    except NeverMatchesError:
        return None
    regex = re.compile(glob if is_path else f"(?:.*/)?{glob}", re.DOTALL)
    return Pattern(_decoded(text), regex, negated, only_folders)


def _without_trailing_spaces(line: str) -> str:
    """Returns a line without spaces at its end, but for one behind a backslash."""
    kept = re.match(r"(?:\\.|[^\\ ]|\\$| +(?! |$))*", line, re.DOTALL)
    return kept.group() if kept is not None else line


def _decoded(text: str) -> str:
    return text.encode("latin-1").decode("utf-8", "replace")


_SPECIAL = re.compile(r"[*?\[\\]")
_CLASSES = {
    "alnum": string.ascii_letters + string.digits,
    "alpha": string.ascii_letters,
    "blank": " \t",
    "cntrl": "".join(map(chr, (*range(32), 127))),
    "digit": string.digits,
    "graph": string.ascii_letters + string.digits + string.punctuation,
    "lower": string.ascii_lowercase,
    "print": string.ascii_letters + string.digits + string.punctuation + " ",
    "punct": string.punctuation,
    "space": " \t\n\r\v\f",
    "upper": string.ascii_uppercase,
    "xdigit": string.hexdigits,
}
_STAR = "[^/]*"
_FOLDERS = "(?:.*/)?"
_NUMBERS = itertools.count()
"""Numbers of groups: expressions are joined, and each name may be in one of them."""
_NAMED = re.compile(r"\[:([^\]]*):\]")


class NeverMatchesError(Exception):
    """The glob is malformed, and git matches nothing with it."""


def translate(glob: str, *, is_path: bool = True) -> str:
    """Returns the regular expression of a glob.

    Args:
        glob: The glob.
        is_path: Whether it is matched with a whole path, in which `**` can be folders.

    Raises:
        NeverMatchesError: It matches nothing.
    """
    special = _SPECIAL.search(glob)
    # Git compares what is in front of the first wildcard by itself, so that one starts again.
    start = special.start() if special is not None else len(glob)
    tokens = [re.escape(glob[:start])]
    position = start
    while position < len(glob):
        text, position = _next(glob, position, start if is_path else None)
        tokens.append(text)
    first, *others = _split(tokens, _FOLDERS)
    out = [_stars_of(first)]
    for number, part in enumerate(others, 1):
        is_last = number == len(others)
        out.append(
            f"{_FOLDERS}{_stars_of(part)}" if is_last else _atomic(f"(?:.*?/)??{_stars_of(part)}")
        )
    return "".join(out)


def _stars_of(tokens: Sequence[str]) -> str:
    first, *others = _split(tokens, _STAR)
    parts = [f"[^/]*?{''.join(part)}" for part in others]
    return "".join([*first, *map(_atomic, parts[:-1]), *parts[-1:]])


def _split(tokens: Sequence[str], at: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for token in tokens:
        if token == at:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _atomic(regex: str) -> str:
    """Returns an expression that is not matched a second time when what follows it fails.

    A star that others follow may take as little as it can: the next one takes the rest. To try
    longer matches too, as `re` would, takes a time that grows with the power of the stars' number.
    """
    name = f"g{next(_NUMBERS)}"  # `(?>...)` needs Python 3.11.
    return f"(?=(?P<{name}>{regex}))(?P={name})"


def _next(glob: str, position: int, start: int | None) -> tuple[str, int]:
    """Returns the expression of what is at a position, and where that ends."""
    character = glob[position]
    if character == "*":
        return _stars(glob, position, start)
    if character == "?":
        return "[^/]", position + 1
    if character == "[":
        return _set(glob, position)
    if character == "\\":
        if position + 1 == len(glob):
            raise NeverMatchesError
        return re.escape(glob[position + 1]), position + 2
    return re.escape(character), position + 1


def _stars(glob: str, position: int, start: int | None) -> tuple[str, int]:
    end = position
    while glob.startswith("*", end):
        end += 1
    is_part = start is not None and (position == start or glob[position - 1] == "/")
    if end - position > 1 and is_part:
        if end == len(glob):
            return ".*", end
        if glob[end] == "/":
            return _FOLDERS, end + 1
    return _STAR, end


def _set(glob: str, position: int) -> tuple[str, int]:
    """Returns the expression of `[...]`, one byte of which must be there."""
    position += 1
    negated = glob[position : position + 1] in ("!", "^")
    position += negated
    members: set[str] = set()
    previous = ""
    first = True
    while first or glob[position : position + 1] != "]":
        first = False
        character, after = _member(glob, position)
        named = _NAMED.match(glob, position)
        is_range = glob[position] == "-" and previous and glob[after : after + 1] not in ("", "]")
        if named is not None:
            if named.group(1) not in _CLASSES:
                raise NeverMatchesError
            members.update(_CLASSES[named.group(1)])
            previous, position = "", named.end()
        elif is_range:
            last, position = _member(glob, after)
            members.update(map(chr, range(ord(previous), ord(last) + 1)))
            previous = ""
        else:
            members.add(character)
            previous, position = character, after
    members = {chr(n) for n in range(256)} - members if negated else members
    inside = "".join(f"\\x{ord(member):02x}" for member in sorted(members - {"/"}))
    return (f"[{inside}]" if inside else r"(?!)"), position + 1


def _member(glob: str, position: int) -> tuple[str, int]:
    """Returns the character that is in a set at a position, and where it ends."""
    escaped = glob.startswith("\\", position)
    position += escaped
    if position >= len(glob):
        raise NeverMatchesError
    return glob[position], position + 1
