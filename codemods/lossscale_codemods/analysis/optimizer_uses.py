# SPDX-License-Identifier: Apache-2.0
"""Which kind of optimizer one must be, by what is done with it.

Only `tf.compat.v1.train.Optimizer` has `compute_gradients` and takes a `global_step`; of what the
graph rewrite returns, only the Keras class has `get_scaled_loss`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.type_inference import ObjectType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.bindings import Binding
    from lossscale_codemods.analysis.program import Program

_USES = {
    "compute_gradients": ObjectType.V1,
    "get_scaled_loss": ObjectType.KERAS,
    "get_unscaled_gradients": ObjectType.KERAS,
}


def kind_by_uses(program: Program, call: cst.Call, optimizer: cst.BaseExpression) -> ObjectType:
    """Returns the kind of an optimizer that a call wraps, as far as its uses prove it.

    Args:
        program: The file.
        call: The call.
        optimizer: The expression that is wrapped.
    """
    kinds = {kind for node, kind in _uses(program) if _is_use(program, node, call, optimizer)}
    return kinds.pop() if len(kinds) == 1 else ObjectType.UNKNOWN


def _uses(program: Program) -> Iterator[tuple[cst.Attribute, ObjectType]]:
    reads = program.reads_by_attribute
    for name, kind in _USES.items():
        yield from ((node, kind) for node in reads.get(name, []))
    for name in ("minimize", "apply_gradients"):
        for node in reads.get(name, []):
            above = program.tree.parent(node)
            if isinstance(above, cst.Call) and any(
                a.keyword is not None and a.keyword.value == "global_step" for a in above.args
            ):
                yield node, ObjectType.V1


def _is_use(
    program: Program, node: cst.Attribute, call: cst.Call, optimizer: cst.BaseExpression
) -> bool:
    """Whether what is read from is what a call wraps, or returns, wherever the call is reached."""
    wrapped = program.resolver.bindings(optimizer) | _results(program, call)
    if node.value is not call and not program.resolver.bindings(node.value) & wrapped:
        return False
    around = set(program.tree.ancestors(call))
    conditions = set(_conditions(program, call))
    conditional = cst.Else | cst.Try | cst.TryStar | cst.IfExp | cst.BooleanOperation | cst.Match
    below: cst.CSTNode = node
    for above in program.tree.ancestors(node):
        if above not in around:
            if isinstance(above, cst.If) and below is not above.test:
                if below is not above.body or program.tree.source(above.test) not in conditions:
                    return False
            elif isinstance(above, conditional):
                return False
        below = above
    return True


def _conditions(program: Program, node: cst.CSTNode) -> Iterator[str]:
    """Yields the conditions under which an expression is reached."""
    below = node
    for above in program.tree.ancestors(node):
        if isinstance(above, cst.If) and below is above.body:
            yield program.tree.source(above.test)
        below = above


def _results(program: Program, call: cst.Call) -> frozenset[Binding]:
    above = program.tree.parent(call)
    if not isinstance(above, cst.Assign):
        return frozenset()
    return frozenset(
        binding
        for target in above.targets
        for binding in program.scopes.binding_at.get(target.target, [])
    )
