# SPDX-License-Identifier: Apache-2.0
"""Code that asks an object which version it is of: by how its loss scale can be read.

try:
    scale = float(opt.loss_scale)
except TypeError:
    scale = float(opt.loss_scale())
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.callable_tests import asks_whether_callable
from lossscale_codemods.analysis.guard_parts import Guard, catches_error
from lossscale_codemods.analysis.libcst_on_demand import cst

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.program import Program

_NOT_CALLABLE = ("TypeError", "AttributeError", "Exception")


def guards_of_call(program: Program, node: cst.CSTNode) -> Iterator[Guard]:
    """Yields what has a loss scale called only where it is an object that can be.

    Args:
        program: The file.
        node: What is called.
    """
    if not _is_called(program, node):
        return
    below: cst.CSTNode = node
    for above in program.tree.ancestors(node):
        chosen = isinstance(above, cst.If | cst.IfExp) and below is not above.test
        if isinstance(above, cst.Try) and all(
            catches_error(program, h, _NOT_CALLABLE) for h in above.handlers
        ):
            others = [part for part in (above.body, *above.handlers) if part is not below]
            chosen = any(_reads_it_uncalled(program, node, other) for other in others)
        elif chosen and isinstance(above, cst.If | cst.IfExp):
            text = program.tree.source(node)
            chosen = asks_whether_callable(program.tree, text, above.test)
        if chosen:
            yield Guard(above, [below], None)
        below = above


def _is_called(program: Program, node: cst.CSTNode) -> bool:
    above = program.tree.parent(node)
    return isinstance(above, cst.Call) and above.func is node


def _reads_it_uncalled(program: Program, node: cst.CSTNode, part: cst.CSTNode) -> bool:
    text = program.tree.source(node)
    return any(
        isinstance(one, cst.Attribute | cst.Name)
        and program.tree.source(one) == text
        and not _is_called(program, one)
        for one in program.tree.walk(part)
    )
