# SPDX-License-Identifier: Apache-2.0
"""What the rules for attributes of optimizers and policies share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.domain import Program, UseKind, uses_of
from lossscale_codemods.rules.base import Rewrite
from lossscale_codemods.tables.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.domain import Resolver


NEW_ATTRIBUTES = {
    "initial_loss_scale": "initial_scale",
    "_initial_loss_scale": "initial_scale",
    "_loss_scale_value": "initial_scale",
    "increment_period": "dynamic_growth_steps",
    "_increment_period": "dynamic_growth_steps",
    "_current_loss_scale": "loss_scale",
    "_num_good_steps": "dynamic_counter",
}
"""Attributes of a loss scale object, and those of the optimizer that took their place."""
OLD_ATTRIBUTES = frozenset(
    {
        *NEW_ATTRIBUTES,
        "multiplier",
        "_multiplier",
        "get_config",
        "from_config",
        "update",
        "_weights",
        "_add_weight",
    }
)
"""What only a loss scale object had."""
TENSOR_ATTRIBUTES = frozenset({"device", "dtype", "graph", "ndim", "numpy", "op", "shape"})
"""What a loss scale object has, or gives, that the tensor has as well."""


def is_read_as_number(node: cst.Attribute, resolver: Resolver) -> bool:
    """Whether an attribute of a loss scale object is no variable, or is used as a number only."""
    if node.attr.value != "_current_loss_scale":
        return True
    for use in uses_of(node, resolver):
        reads = use.user.attr.value if isinstance(use.user, cst.Attribute) else None
        if use.kind is not UseKind.NUMBER and reads not in TENSOR_ATTRIBUTES:
            return False
    return True


def attributes(program: Program, *names: str) -> Iterator[cst.Attribute]:
    """Yields every read of an attribute of one of these names."""
    for name in names:
        yield from program.reads_by_attribute.get(name, [])


def called(program: Program, node: cst.CSTNode) -> cst.Call | None:
    """Returns the call `node()` without arguments, if it is one."""
    above = program.tree.parent(node)
    if isinstance(above, cst.Call) and above.func is node and not above.args:
        return above
    return None


def replace(program: Program, node: cst.CSTNode, start_at: cst.CSTNode, text: str) -> list[Edit]:
    """Returns the edit that puts `text` behind `start_at`, up to the end of `node`."""
    return [Edit(program.tree.full_span(start_at)[1], program.tree.span(node)[1], text)]


def put(program: Program, span: tuple[int, int], text: str) -> Edit:
    """Returns the edit that writes `text` over a span, apart from a word in front of it."""
    before = program.tree.text[max(span[0] - 1, 0) : span[0]].decode("utf-8", "replace")
    return Edit(*span, f" {text}" if before.isidentifier() or before.isdigit() else text)


def rewrite(message: str, edits: list[Edit]) -> Rewrite:
    """Returns a rewrite whose edits need no names."""
    return Rewrite(message, lambda _: edits)
