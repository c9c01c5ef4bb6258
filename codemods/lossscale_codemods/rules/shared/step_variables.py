# SPDX-License-Identifier: Apache-2.0
"""Which variables the steps of an optimizer are for, as far as a file spells them out.

An optimizer of Keras 3 makes its state at its first step, for the variables of that step, and
refuses others from then on. One of TensorFlow makes state for whatever it gets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.rules.base import Review

if TYPE_CHECKING:
    from lossscale_codemods.analysis.program import Program

STEPS = ("apply_gradients", "minimize")
OTHER_VARIABLES = Review(
    "an optimizer of Keras 3 knows the variables of its first step alone, and it has others in "
    "another step of this file",
    "Make an optimizer for each, or build() it for all of them first.",
)


def has_other_variables(method: cst.Attribute, program: Program) -> bool:
    """Whether another step of the same optimizer is for other variables, as they are spelled.

    Of steps that stay as they are, `apply_gradients`, the later one is wrong. Steps with `minimize`
    are rewritten all or not at all, so that the result is right by itself.

    Args:
        method: The method that is called: `apply_gradients` or `minimize`.
        program: The file.
    """
    is_whole = method.attr.value == "minimize"
    bindings = program.resolver.bindings(method.value)
    mine = _variables(method, program)
    if not bindings or not mine:
        return False
    for name in STEPS:
        for other in program.reads_by_attribute.get(name, ()):
            if program.resolver.bindings(other.value) != bindings:
                continue
            is_earlier = program.tree.span(other) < program.tree.span(method)
            theirs = _variables(other, program)
            is_other = mine != theirs if is_whole else is_earlier and not mine <= theirs
            if theirs and is_other:
                return True
    return False


def _variables(method: cst.Attribute, program: Program) -> set[str]:
    """Returns how the variables of a step are spelled; nothing if that cannot be seen."""
    call = program.tree.parent(method)
    if not isinstance(call, cst.Call) or call.func is not method:
        return set()
    if method.attr.value == "minimize":
        given = [a for a in call.args if a.keyword is not None and a.keyword.value == "var_list"]
        by_place = [a for a in call.args if a.keyword is None and not a.star]
        var_list = given or by_place[1:2]
        return _spelled(var_list[0].value, program) if var_list else set()
    pairs = call.args[0].value if call.args else None
    if isinstance(pairs, cst.Call) and dotted(pairs.func) == "zip" and len(pairs.args) == 2:
        return _spelled(pairs.args[1].value, program)
    if isinstance(pairs, cst.List):
        elements = [e.value for e in pairs.elements]
        if all(isinstance(e, cst.Tuple) and len(e.elements) == 2 for e in elements):
            return {
                program.tree.source(e.elements[1].value)
                for e in elements
                if isinstance(e, cst.Tuple)
            }
    return set()


def _spelled(node: cst.BaseExpression, program: Program) -> set[str]:
    if isinstance(node, cst.Lambda):
        node = node.body
    if isinstance(node, cst.List | cst.Tuple):
        return {program.tree.source(element.value) for element in node.elements}
    return {program.tree.source(node)}
