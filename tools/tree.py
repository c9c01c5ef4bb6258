# SPDX-License-Identifier: Apache-2.0
"""The rooms of the packages, from the first lines of their docstrings, with their sizes.

The documentation is built with it, so nothing has to be updated.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("compat_lossscale", "codemods/lossscale_codemods")


def table() -> str:
    """Returns a Markdown table: each room, what it is for, its modules and its lines."""
    head = "| Room | What it is for | Modules | Lines |\n| --- | --- | --: | --: |\n"
    return head + "".join(row for package in PACKAGES for row in _rows(ROOT / package))


def _rows(package: Path) -> Iterator[str]:
    for folder in (package, *sorted(path for path in package.iterdir() if path.is_dir())):
        pattern = "*.py" if folder == package else "**/*.py"
        modules = list(folder.glob(pattern))
        if modules:
            lines = sum(len(one.read_text("utf-8").splitlines()) for one in modules)
            purpose = "" if folder == package else _purpose(folder / "__init__.py")
            name = folder.relative_to(package.parent)
            yield f"| `{name}` | {purpose} | {len(modules)} | {lines:,} |\n"


def _purpose(module: Path) -> str:
    text = ast.get_docstring(ast.parse(module.read_text("utf-8"))) if module.is_file() else ""
    return (text or "").partition("\n")[0].removesuffix(".")
