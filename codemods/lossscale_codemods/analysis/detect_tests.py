# SPDX-License-Identifier: Apache-2.0
"""Whether code tests the old API: it then needs what it tests, not what came after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.syntax_tree import dotted

if TYPE_CHECKING:
    from lossscale_codemods.analysis.program import Program


def expects_error(node: cst.CSTNode, program: Program) -> bool:
    """Whether a node is under `with pytest.raises(...)` or `with self.assertRaises(...)`."""
    inner = node
    for above in program.tree.ancestors(node):
        if isinstance(above, cst.FunctionDef | cst.Lambda | cst.ClassDef):
            return False
        if isinstance(above, cst.With) and inner is above.body:
            for item in above.items:
                func = item.item.func if isinstance(item.item, cst.Call) else item.item
                if "raises" in (dotted(func) or "").rpartition(".")[2].lower():
                    return True
        inner = above
    return False


def is_in_test(node: cst.CSTNode, program: Program) -> bool:
    """Whether a node is in a test: a test case's class, or a `test` function that asserts."""
    for above in program.tree.ancestors(node):
        if isinstance(above, cst.ClassDef) and _is_test_case(above):
            return True
        if (
            isinstance(above, cst.FunctionDef)
            and above.name.value.startswith("test")
            and any(_asserts(part) for part in program.tree.walk(above.body))
        ):
            return True
    return False


def _is_test_case(node: cst.ClassDef) -> bool:
    bases = [(dotted(base.value) or "").rpartition(".")[2] for base in node.bases]
    return any(base.endswith(("TestCase", "Test")) for base in bases)


def _asserts(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.Assert):
        return True
    if not isinstance(node, cst.Call):
        return False
    last = (dotted(node.func) or "").rpartition(".")[2].lower()
    return last.startswith("assert") or last == "raises"
