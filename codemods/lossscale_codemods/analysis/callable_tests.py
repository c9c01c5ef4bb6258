# SPDX-License-Identifier: Apache-2.0
"""Tests of whether a loss scale can be called: `scale() if callable(scale) else scale`.

It can in old versions, where it is an object. In new ones it is a tensor, or a number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.syntax_tree import dotted

if TYPE_CHECKING:
    from lossscale_codemods.analysis.syntax_tree import Tree


def asks_whether_callable(tree: Tree, text: str, test: cst.CSTNode) -> bool:
    """Whether a condition asks whether an expression can be called.

    Args:
        tree: The file.
        text: The expression, as source.
        test: The condition.
    """
    return any(
        isinstance(one, cst.Call)
        and dotted(one.func) in {"callable", "hasattr"}
        and bool(one.args)
        and tree.source(one.args[0].value) == text
        for one in tree.walk(test)
    )


def is_called_in(tree: Tree, text: str, part: cst.CSTNode) -> bool:
    """Whether an expression is called in a part of a file.

    Args:
        tree: The file.
        text: The expression, as source.
        part: The part.
    """
    return any(
        isinstance(node, cst.Call) and tree.source(node.func) == text for node in tree.walk(part)
    )
