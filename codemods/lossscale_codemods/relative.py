# SPDX-License-Identifier: Apache-2.0
"""What a relative import gives, read off the imported file: `from .compat import tf`."""

from __future__ import annotations

import ast
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_DEEPEST = 4
_LARGEST = 1 << 20


def relative_imports(path: Path) -> Callable[[str], str | None]:
    """Returns a function that makes the paths of a file's relative imports absolute."""
    known: dict[str, str | None] = {}

    def absolute(dotted: str) -> str | None:
        if dotted not in known:
            known[dotted] = _absolute(path, dotted, 0)
        return known[dotted]

    return absolute


def _absolute(path: Path, dotted: str, depth: int) -> str | None:
    name = dotted.lstrip(".")
    folder = path.absolute().parent
    for _ in range(len(dotted) - len(name) - 1):
        folder = folder.parent
    *module, member = name.split(".")
    file = _module_file(folder.joinpath(*module))
    if file is None or depth > _DEEPEST or not member:
        return None
    found = _imports(file).get(member, set())
    resolved = set()
    for target in found:
        resolved.add(_absolute(file, target, depth + 1) if target.startswith(".") else target)
    return resolved.pop() if len(resolved) == 1 else None


def _module_file(base: Path) -> Path | None:
    for candidate in (base.with_name(base.name + ".py"), base / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


def _imports(path: Path) -> dict[str, set[str]]:  # noqa: PLR0912
    """Returns the paths that each name of a module is imported from, at its top level."""
    found: dict[str, set[str]] = {}
    try:
        if path.stat().st_size > _LARGEST:
            return found
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return found
    stack: list[ast.AST] = list(tree.body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    found.setdefault(alias.asname, set()).add(alias.name)
                else:
                    root = alias.name.split(".")[0]
                    found.setdefault(root, set()).add(root)
        elif isinstance(node, ast.ImportFrom):
            dots = "." * node.level
            for alias in node.names:
                base = f"{dots}{node.module}." if node.module else dots
                found.setdefault(alias.asname or alias.name, set()).add(base + alias.name)
        elif isinstance(node, ast.If | ast.Try):
            stack.extend(ast.iter_child_nodes(node))
        elif isinstance(node, ast.ExceptHandler):
            stack.extend(node.body)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, set()).add(ast.unparse(node.value)[:100] + "?")
    return found
