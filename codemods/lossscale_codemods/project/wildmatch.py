# SPDX-License-Identifier: Apache-2.0
"""Git's globs as regular expressions over bytes, which are written as latin-1 text.

`*` and `?` stop at `/`, and `?` is a byte, not a character: https://git-scm.com/docs/gitignore.
"""

from __future__ import annotations

import itertools
import re
import string
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

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
