# SPDX-License-Identifier: Apache-2.0
"""How a file writes its imports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import import_path
from lossscale_codemods.analysis.libcst_on_demand import cst

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lossscale_codemods.analysis.syntax_tree import Tree


def imports_names_singly(tree: Tree) -> bool:
    """Whether a file has one statement for each name that it imports from a module.

    It imports more than one name of some module, each by itself. An old module and its successor,
    side by side, are two.
    """
    imports = [node for node in tree.parents if isinstance(node, cst.ImportFrom)]
    if any(not isinstance(node.names, cst.ImportStar) and len(node.names) > 1 for node in imports):
        return False
    modules = [import_path(node) for node in imports]
    return len(set(modules)) < len(modules)


def from_imports(tree: Tree, module: str, members: Iterable[str]) -> list[str]:
    """Returns the statements that import members of a module, as the file writes such.

    Args:
        tree: The file.
        module: The module.
        members: Its members, as `member` or `member as name`.
    """
    if imports_names_singly(tree):
        return [f"from {module} import {member}" for member in members]
    return [f"from {module} import {', '.join(members)}"]
