# SPDX-License-Identifier: Apache-2.0
"""Policies that are made in sight, and what is read of their loss scale."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.bindings import BindingKind
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.object_types import ObjectType
from lossscale_codemods.analysis.program_files import others_name
from lossscale_codemods.analysis.syntax_tree import dotted, is_none
from lossscale_codemods.vocabulary.names import Meaning

if TYPE_CHECKING:
    from lossscale_codemods.analysis.program import Program

SCALED = "mixed_float16"
"""The policy that has a loss scale if none is given."""
_SETTING = (Meaning.SET_POLICY, Meaning.POLICY_SCOPE)


def policy_argument(policy: cst.Call, position: int, keyword: str) -> cst.Arg | None:
    """Returns an argument of a call that makes a policy."""
    for index, argument in enumerate(policy.args):
        if argument.keyword is None:
            if index == position:
                return argument
        elif argument.keyword.value == keyword:
            return argument
    return None


def name_of(policy: cst.Call, program: Program) -> str | None:
    """Returns the name of a policy, if it can be seen."""
    argument = policy_argument(policy, 0, "name")
    node = argument.value if argument is not None else None
    if isinstance(node, cst.Name):
        bindings = program.resolver.bindings(node)
        values = [b.value for b in bindings if b.kind is BindingKind.ASSIGN]
        node = values[0] if len(bindings) == len(values) == 1 else None
    return str(node.evaluated_value) if isinstance(node, cst.SimpleString) else None


def policies_made(program: Program) -> list[cst.Call]:
    """Returns the calls of a file that make policies of the old class."""
    made = (program.call(o) for o in program.references if o.meaning is Meaning.POLICY)
    return [call for call in made if call is not None]


def scale_behind(
    node: cst.BaseExpression, program: Program
) -> tuple[cst.BaseExpression, cst.BaseExpression | str] | None:
    """Returns what a policy comes from, and the loss scale that it was made with.

    A loss scale that is not given is the source of the default.

    Args:
        node: The policy: one that is made in the file, or `global_policy()` behind the only call
            of the program that sets one.
        program: The file.
    """
    made = {value.made_by for value in program.types.values(node)}
    (call,) = made if len(made) == 1 else (None,)
    if call is None or program.types.of(node) != {ObjectType.POLICY}:
        return None
    if call in policies_made(program):
        scale = _given(call, program)
        return None if scale is None else (call, scale)
    meanings = {program.call(o): o.meaning for o in program.references}
    if meanings.get(call) is not Meaning.GLOBAL_POLICY:
        return None
    sets = [one for one, meaning in meanings.items() if one and meaning in _SETTING]
    if len(sets) != 1 or len(sets[0].args) != 1 or _is_set_elsewhere(program):
        return None
    statement = program.tree.statement(sets[0])
    is_before = program.tree.span(statement)[1] < program.tree.span(call)[0]
    if program.tree.parent(statement) is not program.tree.module or not is_before:
        return None
    given = sets[0].args[0].value
    if isinstance(given, cst.SimpleString):
        return given, _default(str(given.evaluated_value))
    return scale_behind(given, program) if given is not node else None


def _is_set_elsewhere(program: Program) -> bool:
    words = ("set_policy", "set_global_policy")
    return others_name(program.types.project.modules, words) or bool(
        program.reads_by_attribute.get(words[1])
    )


def _default(name: str | None) -> str:
    return '"dynamic"' if name == SCALED else "None"


def _given(policy: cst.Call, program: Program) -> cst.BaseExpression | str | None:
    """Returns the loss scale of a policy; nothing if the policy cannot be seen."""
    if any(argument.star for argument in policy.args):
        return None
    given = policy_argument(policy, 1, "loss_scale")
    if given is not None:
        return given.value
    name = name_of(policy, program)
    return None if name is None else _default(name)


def is_as_named(policy: cst.Call, program: Program) -> bool:
    """Whether a policy has a loss scale if and only if its name says so, as far as can be seen."""
    scale, name = policy_argument(policy, 1, "loss_scale"), name_of(policy, program)
    return scale is None or name is None or is_none(scale.value) is (name != SCALED)


def asks_for_scale(read: cst.Attribute, program: Program) -> tuple[cst.CSTNode, bool] | None:
    """Returns what asks whether a policy has a loss scale, and whether it holds if it has one.

    Args:
        read: The read of its `loss_scale`.
        program: The file.
    """
    if read.attr.value != "loss_scale":
        return None
    above = program.tree.parent(read)
    match above:
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget() as target]) if (
            left is read and is_none(target.comparator)
        ):
            if isinstance(target.operator, cst.IsNot | cst.NotEqual):
                return above, True
            return (above, False) if isinstance(target.operator, cst.Is | cst.Equal) else None
        case cst.UnaryOperation(operator=cst.Not()):
            return above, False
        case cst.Arg():
            call = program.tree.parent(above)
            is_bool = isinstance(call, cst.Call) and dotted(call.func) == "bool"
            return (call, True) if is_bool and call is not None else None
    node: cst.CSTNode = read
    while isinstance(above, cst.BooleanOperation):
        node, above = above, program.tree.parent(above)
    tests = isinstance(above, cst.If | cst.IfExp | cst.While | cst.Assert) and above.test is node
    return (read, True) if tests else None
