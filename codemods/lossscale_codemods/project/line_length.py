# SPDX-License-Identifier: Apache-2.0
"""How long a project says that its lines may be: to Black, ruff, flake8, pycodestyle or yapf.

Their configurations are TOML and INI. What is looked for looks the same in both.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING

from lossscale_codemods.project.file_reading import read_settings
from lossscale_codemods.project.relative_imports import is_top

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLACK = 88
"""The limit of Black and ruff, where a project that uses them says no other."""
_SECTIONS = {
    "pyproject.toml": ("tool.black", "tool.ruff", "tool.flake8", "tool.yapf"),
    "ruff.toml": ("",),
    ".ruff.toml": ("",),
    "setup.cfg": ("flake8", "pycodestyle", "pep8", "yapf"),
    "tox.ini": ("flake8", "pycodestyle", "pep8"),
    ".flake8": ("flake8",),
    ".pycodestyle": ("pycodestyle",),
    ".style.yapf": ("style",),
}
"""The sections in which a limit may be, by the names of files; the most telling first."""
_OF_BLACK = ("tool.black", "tool.ruff", "")
_HEADER = re.compile(rb"\s*\[\s*([\w.\"'-]+)\s*\]")
_LIMIT = re.compile(
    rb"\s*(?:max[-_]line[-_]length|line-length|column_limit)\s*[=:]\s*[\"']?(\d{1,6})(?!\d)"
)


def line_length(path: Path) -> int | None:
    """Returns the limit for a file, as the nearest folder above it says it, if one does."""
    for folder in path.absolute().parents:
        limit = _said_in(folder)
        if limit is not None or is_top(folder):
            return limit
    return None


@functools.lru_cache(maxsize=1024)
def _said_in(folder: Path) -> int | None:
    for name, sections in _SECTIONS.items():
        try:
            limits = dict(_limits(read_settings(folder / name)))
        except OSError:
            continue
        for section in sections:
            default = _BLACK if section in _OF_BLACK else 0
            if limit := limits.get(section) or (default if section in limits else 0):
                return limit
    return None


def _limits(content: bytes) -> Iterator[tuple[str, int]]:
    """Yields the sections of a file, with the limit in each, or 0."""
    section, limit = "", 0
    for line in content.splitlines():
        if header := _HEADER.match(line):
            yield section, limit
            section, limit = header[1].decode("ascii", "replace").replace('"', ""), 0
        elif match := _LIMIT.match(line):
            limit = int(match[1])
    yield section, limit
