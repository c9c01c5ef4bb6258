# SPDX-License-Identifier: Apache-2.0
"""Writes the tree of the packages in `docs/how-it-works.md`, from the first lines of docstrings.

python -m tools.tree
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "how-it-works.md"
PACKAGES = ("compat_lossscale", "codemods/lossscale_codemods")
_WIDTH = 28
_RULE = re.compile(r"ls\d{3}_\w+\.py")
"""The files of rules, of which there are many: the rule reference has them."""
_BLOCK = re.compile(r"(?<=```text\n)compat_lossscale/\n.*?(?=```)", re.DOTALL)


def tree() -> str:
    """Returns the tree: each folder and each module, with what its docstring says first."""
    return "".join(line for package in PACKAGES for line in _folder(ROOT / package, package, 0))


def _folder(folder: Path, name: str, depth: int) -> Iterator[str]:
    yield _line(f"{name}/", folder / "__init__.py", depth)
    for path in sorted(folder.iterdir()):
        if path.suffix == ".py" and path.stem != "__init__" and not _RULE.fullmatch(path.name):
            yield _line(path.name, path, depth + 1)
    for path in sorted(folder.iterdir()):
        if any(path.glob("*.py")):
            yield from _folder(path, path.name, depth + 1)


def _line(name: str, module: Path, depth: int) -> str:
    text = ""
    if depth and module.is_file():
        text = (ast.get_docstring(ast.parse(module.read_text("utf-8"))) or "").partition("\n")[0]
    return f"{' ' * 4 * depth}{name:<{_WIDTH}}{text.removesuffix('.')}".rstrip() + "\n"


def page() -> str:
    """Returns the page with the tree as it is now."""
    return _BLOCK.sub(lambda _: tree(), PAGE.read_text("utf-8"))


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
