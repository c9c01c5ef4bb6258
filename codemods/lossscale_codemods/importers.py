# SPDX-License-Identifier: Apache-2.0
"""Whether other files may import a variable of a module, which then has to stay.

The question is asked of the text, not of a syntax tree, and errs on the side of yes: a file that
says both the module's name and the variable's, in whatever way, may import it.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from lossscale_codemods.discovery import Found, discover

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_ROOTS = (".git", ".hg", "pyproject.toml", "setup.py", "setup.cfg")
_MOST_FILES = 5_000
"""A folder that happens to hold more than this is not one project."""


def shared(path: Path, variables: Iterable[str], others: Iterable[Path]) -> frozenset[str]:
    """Returns those of a module's variables that one of the other files may import."""
    wanted = {name: re.compile(rb"\b%s\b" % re.escape(name.encode())) for name in variables}
    is_package = path.stem == "__init__"
    stem = path.absolute().parent.name if is_package else path.stem
    module = re.compile(rb"\b%s\b" % re.escape(stem.encode()))
    star = re.compile(rb"import[ \t]*\*")
    found: set[str] = set()
    here = path.absolute()
    for other in others:
        if other.absolute() == here:
            continue
        try:
            source = other.read_bytes()
        except OSError:
            continue
        inside = is_package and here.parent in other.absolute().parents
        if not inside and not module.search(source):
            continue
        if star.search(source):
            return frozenset(wanted)
        found.update(name for name, pattern in wanted.items() if pattern.search(source))
        if len(found) == len(wanted):
            break
    return frozenset(found)


def project_files(path: Path) -> list[Path]:
    """Returns the files of the project that a file belongs to, or else those of its folder."""
    folders = path.absolute().parents
    root = next(
        (folder for folder in folders if any((folder / name).exists() for name in _ROOTS)),
        folders[0],
    )
    found = (found.path for found in discover([root]) if isinstance(found, Found))
    return list(itertools.islice(found, _MOST_FILES))
