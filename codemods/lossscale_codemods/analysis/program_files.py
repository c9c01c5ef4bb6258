# SPDX-License-Identifier: Apache-2.0
"""The files that can run together with one: what it imports, and what imports it, however far."""

from __future__ import annotations

import ast
import functools
import os
import re
from typing import TYPE_CHECKING

from lossscale_codemods.analysis import run_time_imports
from lossscale_codemods.analysis.bindings import member_path
from lossscale_codemods.analysis.syntax_check import parsed
from lossscale_codemods.vocabulary import frameworks

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from lossscale_codemods.analysis.modules import Modules, ProjectFiles

_MOST_FILES = 256


def others_name(modules: Modules, words: Collection[str]) -> bool:
    """Whether another file that can run together with one has words in its code.

    Args:
        modules: The files of the project, as the one file imports them.
        words: The words.

    Returns:
        Whether one has; true as well where that is not known.
    """
    files = others_naming(modules, words)
    return files is None or bool(files)


def others_naming(modules: Modules, words: Collection[str]) -> list[Path] | None:
    """Returns the other files that can run together with one and have words in their code.

    Args:
        modules: The files of the project, as the one file imports them.
        words: The words.

    Returns:
        The files, in order; nothing if that is not known.
    """
    files = modules.files
    if files is None:
        return []
    mentioning = [modules.mentioning(word) for word in words]
    if not any(files_with != [] for files_with in mentioning):
        return []
    together = _together(modules, files)
    if together is None:  # Then it can be any file.
        if None in mentioning:
            return None
        together = {path for files_with in mentioning for path in files_with or ()}
    naming = []
    for path in sorted(together - {files.path}):
        names = modules.names_in(path)
        if names is None:
            return None
        if not names.isdisjoint(words):
            naming.append(path)
    return naming


def _together(modules: Modules, files: ProjectFiles) -> set[Path] | None:
    """Returns the files that can run together with one; nothing if there are too many to tell."""
    importing = [files.path]
    run_time_users = _run_time_users(modules)
    if run_time_users is None:
        return None
    for path in importing:
        name = path.parent.name if path.stem == "__init__" else path.stem
        users = modules.mentioning(name)
        if users is None or len(importing) > _MOST_FILES:
            return None
        imports = re.compile(
            rb"\bimport\b[^\n]*\b%s\b|\bfrom\b[^\n]*\b%s\b" % ((os.fsencode(name),) * 2)
        )
        importing += [
            user
            for user in users
            if user not in importing
            and imports.search(modules.source(user))
            and path in set(_imported(modules, files.seen_from(user), user))
        ]
        importing += [
            user
            for user in run_time_users
            if user not in importing and path in set(_run(modules, files.seen_from(user), user))
        ]
    together = dict.fromkeys(importing)
    waiting = list(importing)
    for path in waiting:
        for other in _imported(modules, files.seen_from(path), path):
            if other not in together:
                together[other] = None
                waiting.append(other)
        if len(together) > _MOST_FILES:
            return None
    return set(together)


def _imported(modules: Modules, files: ProjectFiles, path: Path) -> Iterator[Path]:
    for dotted in _import_paths(modules.source(path)):
        if not frameworks.is_framework(dotted):
            located = files.locate(dotted)
            if located is not None:
                yield located[0]
    yield from _run(modules, files, path)


def _run_time_users(modules: Modules) -> list[Path] | None:
    """Returns the files that run others by their names; nothing if that is not known yet."""
    words = (*run_time_imports.IMPORTING, *run_time_imports.RUNNING)
    mentioning = [modules.mentioning(word.decode()) for word in words]
    if None in mentioning:
        return None
    return sorted({user for users in mentioning for user in users or ()})


def _run(modules: Modules, files: ProjectFiles, path: Path) -> Iterator[Path]:
    """Yields the files that one runs by their names."""
    source = modules.source(path)
    for name in run_time_imports.module_names(source):
        if frameworks.is_framework(name.dotted):
            continue
        located = files.locate(name.dotted)
        if located is not None:
            yield located[0]
        if name.is_package:
            folder = path.parent if located is None else located[0].parent
            yield from sorted(folder.glob("*.py"))
    for script in run_time_imports.scripts(source):
        for beside in (script, script.rpartition("/")[2]):
            if modules.source(path.parent / beside):
                yield path.parent / beside
                break


@functools.lru_cache(maxsize=512)
def _import_paths(source: bytes) -> frozenset[str]:
    """Returns the dotted paths of what a program imports."""
    tree = parsed(source)
    if tree is None:
        return frozenset()
    return frozenset(imported_paths(ast.walk(tree)))


def imported_paths(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yields the dotted paths of what the imports among some nodes import.

    Args:
        nodes: Nodes as Python's own parser gives them.
    """
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            yield from (
                base if alias.name == "*" else member_path(base, alias.name) for alias in node.names
            )
