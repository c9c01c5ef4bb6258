# SPDX-License-Identifier: Apache-2.0
"""Writes the helper for loss scales known at run time once, where files of a project share it.

A file imports it from another only if it imports that one already, at its top, and that one does
not come to import it in turn: so the module is known to be found, and to be complete at that point.
"""

from __future__ import annotations

import ast
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

from lossscale_codemods.project.file_reading import read
from lossscale_codemods.project.relative_imports import module_file
from lossscale_codemods.rewriting import fixes
from lossscale_codemods.vocabulary.names import HELPER
from lossscale_codemods.vocabulary.records import Result, Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MOST_FILES = 200
"""Files that are looked through for a way back; beyond that, each file has a helper of its own."""


@dataclasses.dataclass(frozen=True)
class Sharing:
    """A file that imports the helper.

    Attributes:
        home: The name of the file that it imports it from.
        result: What becomes of it.
    """

    home: str
    result: Result


def shared(results: Mapping[str, Result]) -> dict[str, Sharing]:
    """Returns what becomes of files that can import the helper, in place of one of their own.

    Args:
        results: What becomes of all files, by their names.
    """
    adding = {
        name: tree
        for name, result in results.items()
        if (tree := _with_helper(name, result)) is not None
    }
    if len(adding) < 2:
        return {}
    here = {str(Path(name).absolute()): name for name in adding}
    importers: dict[str, dict[str, str]] = {}
    for name, tree in adding.items():
        for module, file in _imported(Path(name), tree):
            home = here.get(str(file))
            # What gives up names is written last, but a home has to be written first.
            if home in (None, name) or results[home].changed_names or _reaches(file, Path(name)):
                continue
            importers.setdefault(home, {}).setdefault(name, module)
    sharing_of: dict[str, Sharing] = {}
    for home in sorted(importers, key=lambda one: (-len(importers[one]), one)):
        if home in sharing_of:
            continue
        for name, module in importers[home].items():
            is_home = any(one.home == name for one in sharing_of.values())
            if name not in sharing_of and not is_home:
                result = _importing(results[name], adding[name], module)
                if result is not None:
                    sharing_of[name] = Sharing(home, result)
    return sharing_of


def _with_helper(name: str, result: Result) -> ast.Module | None:
    """Returns the syntax tree of a file that got the helper."""
    helper = HELPER.encode()
    if (
        result.status is not Status.CHANGED
        or name.endswith(".ipynb")
        or helper in result.source
        or b"def " + helper not in result.output
    ):
        return None
    return ast.parse(result.output)


def _imported(path: Path, tree: ast.Module) -> Iterator[tuple[str, Path]]:
    """Yields the project's modules that a file imports at its top, as it names them."""
    for node in tree.body:
        named: list[tuple[str, str]] = []
        if isinstance(node, ast.ImportFrom):
            dots, module = "." * node.level, node.module or ""
            glue = "." if module else ""
            named = [(dots, module), *((dots, f"{module}{glue}{one.name}") for one in node.names)]
        elif isinstance(node, ast.Import):
            named = [("", alias.name) for alias in node.names]
        for dots, module in named:
            file = module_file(path, dots, module.split(".")) if module else None
            if file is not None:
                yield dots + module, file


def _reaches(first: Path, wanted: Path) -> bool:
    """Whether a file comes to import another, at whatever depth; also if that cannot be told."""
    seen = {first}
    waiting = [first]
    while waiting:
        path = waiting.pop()
        try:
            tree = ast.parse(read(str(path)))
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            return True
        imported = {file for _, file in _imported(path, tree)} - seen
        if wanted.absolute() in imported or len(seen) > _MOST_FILES:
            return True
        seen |= imported
        waiting.extend(imported)
    return False


def _importing(result: Result, tree: ast.Module, module: str) -> Result | None:
    """Returns a file with an import in the place of the helper."""
    helper = next(
        node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == HELPER
    )
    lines = result.output.splitlines(keepends=True)
    first, last = helper.lineno - 1, helper.end_lineno or helper.lineno
    newline = lines[first][len(lines[first].rstrip(b"\r\n")) :]
    while first and not lines[first - 1].strip():
        first -= 1
    if not module.isprintable():  # A file whose name is not UTF-8 is no module.
        return None
    statement = f"from {module} import {HELPER}".encode() + newline
    output = b"".join([*lines[:first], statement, *lines[last:]])
    try:
        compile(output, "<result>", "exec", dont_inherit=True)
        before, after = result.source.decode("utf-8-sig"), output.decode("utf-8-sig")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    records = fixes.complete(result.records, before.encode(), after.encode())
    return dataclasses.replace(result, output=output, records=records)
