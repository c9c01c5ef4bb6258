# SPDX-License-Identifier: Apache-2.0
"""Versions as programs parse them, and how they compare."""

from __future__ import annotations

import re
from typing import Any

_NUMERIC = re.compile(r"\d+(?:\.\d+)*")


class UnknownValueError(Exception):
    """The value depends on more than the version."""


class ParsedVersion:
    """What `packaging`, `distutils` and `pkg_resources` make of a version.

    Args:
        text: The version.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.release = tuple(int(part) for part in _NUMERIC.findall(text)[0].split("."))

    def attribute(self, name: str) -> Any:
        """Returns one of its public attributes."""
        parts = {"major": 0, "minor": 1, "micro": 2}
        if name in parts:
            return (*self.release, 0, 0)[parts[name]]
        if name in {"base_version", "public"}:
            return self.text
        if name in {"release", "version"}:
            return self.release
        raise UnknownValueError


def comparable(value: Any, other: Any) -> Any:
    """Returns parsed versions as tuples, also where the other side is not parsed.

    Two strings are compared as strings, as the program does: `"2.21.0" < "2.4"` is true.
    """
    if isinstance(value, ParsedVersion):
        return value.release
    if isinstance(value, str) and isinstance(other, ParsedVersion):
        numbers = _NUMERIC.fullmatch(value) or _NUMERIC.match(value)
        if numbers is not None:
            return tuple(int(part) for part in numbers.group().split("."))
    return value
