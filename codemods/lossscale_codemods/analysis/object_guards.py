# SPDX-License-Identifier: Apache-2.0
"""Code that asks an object which version it is of: by its class, or by how it can be read.

if isinstance(opt, experimental.LossScaleOptimizer):
    scale = opt.loss_scale()
elif isinstance(opt, mixed_precision.LossScaleOptimizer):
    scale = opt.loss_scale
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.callable_tests import asks_whether_callable
from lossscale_codemods.analysis.guard_parts import Guard, Parts, catches_error
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.occurrences import Role
from lossscale_codemods.analysis.syntax_tree import dotted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.program import Program

_NOT_CALLABLE = ("TypeError", "AttributeError", "Exception")


def object_guards(program: Program, parts: Parts) -> Iterator[Guard]:
    """Yields the guards of a file that ask an object.

    Args:
        program: The file.
        parts: Where old and new names are in it.
    """
    yield from _type_tests(program, parts)
    yield from _calls_of_the_loss_scale(program, parts)


def _type_tests(program: Program, parts: Parts) -> Iterator[Guard]:
    """`isinstance(x, Old)` beside `isinstance(x, New)`: each is for some versions."""
    tree, scopes = program.tree, program.scopes
    tests = [
        node
        for node in tree.parents
        if isinstance(node, cst.Call) and dotted(node.func) == "isinstance" and len(node.args) == 2
    ]
    for old in tests:
        becomes = parts.becomes([old.args[1].value])
        chosen = _decided_by(program, old)
        if not becomes or chosen is None:
            continue
        for new in tests:
            if (
                tree.source(new.args[0].value) == tree.source(old.args[0].value)
                and _decided_by(program, new) not in (None, chosen)
                and scopes.scope_of(old) is scopes.scope_of(new)
                and not parts.has_old([new])
                and becomes & parts.new_names([new.args[1].value])
            ):
                old_parts: list[cst.CSTNode] = [chosen.test]
                if _holds_if(old, chosen.test):
                    old_parts.append(chosen.body)
                yield Guard(chosen, old_parts, None, sure=False)
                break


def _decided_by(program: Program, test: cst.Call) -> cst.If | cst.IfExp | None:
    """Returns what a test is the condition of, or a part of the condition."""
    below: cst.CSTNode = test
    for above in program.tree.ancestors(test):
        if isinstance(above, cst.If | cst.IfExp) and above.test is below:
            return above
        below = above
    return None


def _holds_if(part: cst.CSTNode, test: cst.BaseExpression) -> bool:
    """Whether a part of a condition holds wherever the whole does."""
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
        return _holds_if(part, test.left) or _holds_if(part, test.right)
    return test is part


def _calls_of_the_loss_scale(program: Program, parts: Parts) -> Iterator[Guard]:
    """`try: float(opt.loss_scale)`, `except TypeError: opt.loss_scale()`, and the like."""
    for occurrence in parts.occurrences:
        if occurrence.role is Role.FOUND:
            yield from guards_of_call(program, occurrence.node)


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
