# SPDX-License-Identifier: Apache-2.0
"""What the rules for attributes of optimizers and policies share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.program import Program
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.rules.base import Rewrite
from lossscale_codemods.vocabulary.names import Target
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator


def attributes(program: Program, *names: str) -> Iterator[cst.Attribute]:
    """Yields every read of an attribute of one of these names."""
    if program.target is Target.TF_KERAS:
        for name in names:
            yield from program.reads_by_attribute.get(name, [])


def found(program: Program, node: cst.Attribute, rule: str) -> Occurrence:
    """Returns the occurrence of a read that a rule decides."""
    return Occurrence(node, program.tree.span(node), Role.FOUND, rule=rule)


def called(program: Program, node: cst.CSTNode) -> cst.Call | None:
    """Returns the call `node()` without arguments, if it is one."""
    above = program.tree.parent(node)
    if isinstance(above, cst.Call) and above.func is node and not above.args:
        return above
    return None


def replace(program: Program, node: cst.CSTNode, start_at: cst.CSTNode, text: str) -> list[Edit]:
    """Returns the edit that puts `text` behind `start_at`, up to the end of `node`."""
    return [Edit(program.tree.full_span(start_at)[1], program.tree.span(node)[1], text)]


def rewrite(message: str, edits: list[Edit]) -> Rewrite:
    """Returns a rewrite whose edits need no names."""
    return Rewrite(message, lambda _: edits)


def looks_like_optimizer(node: cst.CSTNode) -> bool:
    """Whether an expression is called something with `opt`."""
    name = dotted(node)
    return name is not None and "opt" in name.rsplit(".", 1)[-1].lower()
