# SPDX-License-Identifier: Apache-2.0
"""Where a second statement goes that must run whenever, and only when, a call does."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.evaluation_order import (
    evaluated_before,
    is_always_evaluated,
    is_harmless,
    may_have_effects,
)
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.editing.edits import insert_line, small_statement
from lossscale_codemods.rules.base import Review
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lossscale_codemods.analysis.program import Program
    from lossscale_codemods.analysis.syntax_tree import Tree

_ADVICE = "Put the call on a line of its own, then run again."

_ADVICE_FOR_ALL = "Put each call on a line of its own, then run again."


@dataclasses.dataclass(frozen=True)
class Place:
    """A place for a second statement.

    Attributes:
        edits: Returns the edits that put it there, given its text.
    """

    edits: Callable[[str], Sequence[Edit]]


def place_of(call: cst.Call, program: Program) -> Place | Review:
    """Returns where a statement goes that is to run right before or right after a call.

    Args:
        call: The call.
        program: The file.

    Returns:
        The place; if there is none, the reason.
    """
    tree = program.tree
    above = tree.parent(call)
    if isinstance(above, cst.IfExp) and above.test is not call:
        return _either(call, above, program)
    small = small_statement(tree, call)
    if small is None or not is_always_evaluated(tree, call):
        return Review("it needs a second statement, and there is no line for one here", _ADVICE)
    if any(_is_same_function(other, call, program) for other in tree.walk(small)):
        return Review(
            "it needs a second statement, and so does another call on its line", _ADVICE_FOR_ALL
        )
    if isinstance(above, cst.Assign | cst.AnnAssign | cst.Expr):
        return Place(lambda text: _beside(tree, small, text, behind=True))
    if not all(is_harmless(program.resolver, n) for n in evaluated_before(tree, call)):
        return Review(
            "it needs a second statement, and what is called before it on its line may not run "
            "after that",
            _ADVICE,
        )
    if any(isinstance(a, cst.Try | cst.TryStar) for a in _in_function(tree, call)):
        return Review(
            "it needs a second statement, which would run too where the call raises an error "
            "that is caught",
            _ADVICE,
        )
    return Place(lambda text: _beside(tree, small, text, behind=False))


def _is_same_function(node: cst.CSTNode, call: cst.Call, program: Program) -> bool:
    """Whether a node is another call of the function that a call is of."""
    if not isinstance(node, cst.Call) or node is call:
        return False
    paths = program.resolver.paths
    return paths(node.func) == paths(call.func)


def _in_function(tree: Tree, node: cst.CSTNode) -> Sequence[cst.CSTNode]:
    """Returns what is around a node, up to its function."""
    around = []
    for above in tree.ancestors(node):
        if isinstance(above, cst.FunctionDef | cst.ClassDef):
            break
        around.append(above)
    return around


def _beside(
    tree: Tree, small: cst.BaseSmallStatement, text: str, *, behind: bool
) -> Sequence[Edit]:
    line = tree.parent(small)
    if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
        return insert_line(tree, line, text, behind=behind)
    start, end = tree.span(small)
    return [Edit(end, end, f"; {text}") if behind else Edit(start, start, f"{text}; ")]


def _either(call: cst.Call, choice: cst.IfExp, program: Program) -> Place | Review:
    """Returns the place for `x = call if test else other`: in an `if` statement."""
    tree = program.tree
    statement = tree.parent(choice)
    line = tree.parent(statement) if statement is not None else None
    other = choice.orelse if choice.body is call else choice.body
    if (
        not isinstance(statement, cst.Assign | cst.Return)
        or not isinstance(line, cst.SimpleStatementLine)
        or len(line.body) > 1
        or not _can_move(choice.test, program)
        or not _can_move(other, program)
        or (isinstance(statement, cst.Return) and _has_effects(call, program))
    ):
        return Review(
            "it needs a second statement, which must not run on the other side of the condition",
            "Write the condition as an `if` statement, then run again.",
        )
    start, (value_start, value_end) = tree.span(statement)[0], tree.full_span(choice)
    call_start, call_end = tree.full_span(call)
    indent = tree.indentation(start)
    inner = indent + tree.module.default_indent
    head = tree.slice((start, value_start))
    test = tree.source(choice.test) if choice.body is call else _negated(choice.test, tree)
    target = head.partition("=")[0].strip()
    changes_nothing = (
        isinstance(statement, cst.Assign)
        and len(statement.targets) == 1
        and target == tree.source(other)
    )

    def edits(text: str) -> Sequence[Edit]:
        first = f"if {test}:{tree.newline}{inner}"
        end = tree.line_end(max(value_end - 1, start))
        glue = "" if tree.text[:end].endswith((b"\n", b"\r")) else tree.newline
        if isinstance(statement, cst.Return):
            first += f"{text}{tree.newline}{inner}"
            lines = [f"{indent}{head}{tree.source(other)}"]
        else:
            lines = [f"{inner}{text}"]
            if not changes_nothing:
                lines += [f"{indent}else:", f"{inner}{head}{tree.source(other)}"]
        behind = glue + "".join(one + tree.newline for one in lines)
        return [
            Edit(start, call_start, first + head),
            Edit(call_end, value_end, ""),
            Edit(end, end, behind),
        ]

    return Place(edits)


def _has_effects(call: cst.Call, program: Program) -> bool:
    """Whether what a call is given has to be evaluated before the second statement."""
    return any(may_have_effects(program.resolver, argument.value) for argument in call.args)


def _can_move(node: cst.BaseExpression, program: Program) -> bool:
    """Whether an expression can be written elsewhere: it is one line, without old names.

    It is evaluated when it was: the condition first, and then one of the two.
    """
    moved = set(program.tree.walk(node))
    return (
        "\n" not in program.tree.source(node)
        and not any(o.node in moved for o in program.references)
        and not any(isinstance(n, cst.Attribute) and n.attr.value == "loss_scale" for n in moved)
    )


def _negated(test: cst.BaseExpression, tree: Tree) -> str:
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return tree.source(test.expression)
    simple = isinstance(test, cst.Name | cst.Attribute) or bool(test.lpar)
    return f"not {tree.source(test)}" if simple else f"not ({tree.source(test)})"
