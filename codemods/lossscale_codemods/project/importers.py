# SPDX-License-Identifier: Apache-2.0
"""Which names of a file other files use, so that they cannot be removed or change their meaning.

Asked of the other files as they will be, so that an import that is rewritten as well counts no
more. A name is the module's (`mp`), or with a dot the attribute of a class in it (`.mp`). Where it
is not sure that a file means this module, or a notebook does, it is enough that it can.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from lossscale_codemods.domain import ProjectFiles, is_top
from lossscale_codemods.project.discovery import DiscoveredFile, discover
from lossscale_codemods.source.reading import read
from lossscale_codemods.tables.frameworks import is_framework

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from lossscale_codemods.tables.records import Result

_MOST_FILES = 5_000
"""A folder that happens to hold more than this is not one project."""
_PATH = re.compile(r"\.+(?:\w+(?:\.\w+)*)?|\w+(?:\.\w+)*")
_STAR = re.compile(r"import[ \t\f\\\r\n]*\*")
_FROM = re.compile(r"\bfrom\s+([\w.\s\\]+?)\s+import\b\s*(\([^()]*|(?:[^\n#;\\]|\\\n)*)")
_MEMBER = re.compile(r"(\w+)(?:\s+as\s+(\w+))?")
_FRAMEWORK = re.compile(r"\bimport\s+((?:tensorflow|tf_keras|keras)(?:\.\w+)*)(?:\s+as\s+(\w+))?")


def used_by_others(
    results: Mapping[str, Result], others: Callable[[], Iterable[str]]
) -> dict[str, dict[str, str]]:
    """Returns the names that a run would change although other files use them.

    Args:
        results: What the run makes of files, by their names.
        others: Finds the names of all files that may use names of these.

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
    words = [name.removeprefix(".").encode() for names in changing.values() for name in names]
    texts: dict[Path, str] = {}
    outputs = {_absolute(name): result.output for name, result in results.items()}
    for name in others():
        # Strings: on a large tree, path objects would take longer than reading.
        here = _absolute(name)
        with contextlib.suppress(OSError):
            source = outputs[here] if here in outputs else read(name)
            if any(word in source for word in words) or b"*" in source:
                text = source.decode("utf-8", "replace")
                is_notebook = name.endswith(".ipynb")
                texts[Path(here)] = text.replace(r"\n", "\n") if is_notebook else text
    used = {}
    for file, names in changing.items():
        module = Path(_absolute(file))
        found = ((name, _user(module, name, texts, {module})) for name in names)
        users = {n: os.path.relpath(user, module.parent) for n, user in found if user is not None}
        if users:
            used[file] = users
    return used


def _user(module: Path, name: str, texts: Mapping[Path, str], seen: set[Path]) -> Path | None:
    """Returns a file that uses a name of a module, of those that have the name or a star import."""
    for other, text in texts.items():
        if other in seen:
            continue
        if name.startswith("."):
            if _has(name[1:], text):
                return other
            continue
        is_near = module.stem == "__init__" and module.parent in other.parents
        if not (is_near or _imported_as(module) in text) or not _can_mean(other, text, module):
            continue
        has_star = _STAR.search(text) is not None
        if _has(name, text) or (has_star and re.search(rf"\b{name}\b", text)):
            return other
        if has_star and not name.startswith("_"):
            # What a star import brings in, the file may itself offer to others.
            user = _user(other, name, texts, seen | {module, other})
            if user is not None:
                return user
    return None


def _has(name: str, text: str) -> bool:
    """Whether a program imports a name, reads an attribute of that name, or has it in a string.

    What it imports or reads of the frameworks does not count.
    """
    of_frameworks = set()
    for module, listed in _FROM.findall(text):
        for member, alias in _MEMBER.findall(listed):
            if is_framework(module.strip()):
                of_frameworks.add(alias or member)
            elif member == name:
                return True
    of_frameworks |= {alias or path.partition(".")[0] for path, alias in _FRAMEWORK.findall(text)}
    owners = re.findall(rf"([\w.]*)\.{name}\b", text)
    return re.search(rf"[\"']{name}[\"']", text) is not None or any(
        owner.partition(".")[0] not in of_frameworks for owner in owners
    )


def _imported_as(module: Path) -> str:
    return module.parent.name if module.stem == "__init__" else module.stem


def _can_mean(other: Path, text: str, module: Path) -> bool:
    """Whether one of the words and paths in a file can be a module."""
    name = _imported_as(module)
    project = ProjectFiles(other)
    for path in set(_PATH.findall(text)):
        located = project.locate(path)
        # Another module can hand it on: `from .engine import train`.
        file, rest = located if located is not None else (None, path.split("."))
        if file == module or name in rest:
            return True
    return False


def _absolute(name: str) -> str:
    return os.path.abspath(name)  # noqa: PTH100  # resolve() would follow links


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
