# SPDX-License-Identifier: Apache-2.0
"""Calls of a class that do not name it: `self.settings.LossScaleOptimizer(opt, 128)`, `partial`.

Those of a class that a property returns are rewritten together with what it returns. Arguments that
`functools.partial` keeps for a call are rewritten where they are kept.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.call_results import PROPERTIES
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.modules import ProjectClass, decorators
from lossscale_codemods.analysis.object_types import ObjectType
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.rules.base import Review, Rewrite
from lossscale_codemods.rules.shared.constructors import argument_edits, rewrite_constructor
from lossscale_codemods.rules.shared.loss_scale_arguments import ArgumentReader
from lossscale_codemods.vocabulary import frameworks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lossscale_codemods.analysis.program import Program
    from lossscale_codemods.editing.names import NameRenderer
    from lossscale_codemods.vocabulary.records import Edit


@dataclasses.dataclass(frozen=True)
class ReturnedClass:
    """An old class that a property returns.

    Attributes:
        rewrite: What becomes of it, and of its calls.
        is_proven: Whether these are its calls, and all there are.
    """

    rewrite: Rewrite
    is_proven: bool


def returned_class(occurrence: Occurrence, program: Program) -> ReturnedClass | None:
    """Returns what becomes of a class that a property returns, if all its calls can be rewritten.

    Args:
        occurrence: The old name of the class.
        program: The file.
    """
    function = _property_around(occurrence, program)
    if function is None:
        return None
    name = function.name.value
    reads = [node for node in program.reads_by_attribute.get(name, ()) if _can_be(node, program)]
    rewrites: list[Rewrite] = []
    for node in reads:
        call = program.tree.parent(node)
        if not isinstance(call, cst.Call) or call.func is not node:
            return None
        there = Occurrence(node, program.tree.span(node), Role.FOUND, rule=occurrence.rule)
        rewrite = rewrite_constructor(there, call, program)
        if isinstance(rewrite, Review) or rewrite.removes or rewrite.claims:
            return None
        rewrites.append(rewrite)
    if not rewrites:
        return None

    def edits(renderer: NameRenderer) -> Sequence[Edit]:
        return [
            *renderer.name_edit(occurrence),
            *(edit for one in rewrites for edit in one.edits(renderer)),
        ]

    first = rewrites[0]
    is_proven = len(rewrites) == 1 and _are_all(reads, function, program)
    message = "the current class, with the arguments of its call"
    return ReturnedClass(
        Rewrite(message, edits, meaning=first.meaning, constructor=first.constructor), is_proven
    )


def partial_call(occurrence: Occurrence, program: Program) -> Rewrite | None:
    """Returns what becomes of `functools.partial(LossScaleOptimizer, loss_scale=128)`.

    Calls of it may give other arguments than the optimizer, so that is not proven.

    Args:
        occurrence: The old name of the class.
        program: The file.
    """
    argument = program.tree.parent(occurrence.node)
    call = program.tree.parent(argument) if isinstance(argument, cst.Arg) else None
    if not isinstance(call, cst.Call) or call.args[0] is not argument:
        return None
    given = [a for a in call.args if a.keyword is not None and a.keyword.value == "loss_scale"]
    if program.resolver.path(call.func) != "functools.partial" or len(given) != 1:
        return None
    if len(call.args) > 2:
        return None
    arguments = ArgumentReader(program).read(given[0].value, call)
    if isinstance(arguments, Review) or arguments.removes:
        return None

    def edits(renderer: NameRenderer) -> Sequence[Edit]:
        return [
            *renderer.name_edit(occurrence),
            *argument_edits(renderer, occurrence, call, arguments, program),
        ]

    return Rewrite(arguments.message, edits, claims=arguments.claims)


def _property_around(occurrence: Occurrence, program: Program) -> cst.FunctionDef | None:
    """Returns the property that returns a name, and nothing else of that name's kind."""
    if not isinstance(program.tree.parent(occurrence.node), cst.Return):
        return None
    for above in program.tree.ancestors(occurrence.node):
        if isinstance(above, cst.FunctionDef):
            return above if decorators(above) & PROPERTIES else None
        if isinstance(above, cst.Lambda | cst.ClassDef):
            return None
    return None


def _can_be(node: cst.Attribute, program: Program) -> bool:
    """Whether an attribute that is read can be the property, and does not belong to a framework."""
    paths = program.resolver.paths(node)
    return not paths or not all(p is not None and frameworks.is_framework(p) for p in paths)


def _are_all(reads: Sequence[cst.Attribute], function: cst.FunctionDef, program: Program) -> bool:
    """Whether what is read is a class's property each time, and nothing else reads that."""
    around = next(n for n in program.tree.ancestors(function) if isinstance(n, cst.ClassDef))
    owner = ProjectClass(program.resolver, program.scopes.of_node[around])
    project = program.types.project
    name = function.name.value
    if f".{name}" in program.exports.users or len(owner.scope.bindings.get(name, ())) != 1:
        return False
    if any(
        isinstance(node, cst.SimpleString) and node.evaluated_value == name
        for node in program.tree.parents
    ):
        return False  # As in `getattr(settings, name)`.
    for node in reads:
        values = program.types.values(node.value)
        classes = [v.instance_of for v in values if v.kind is not ObjectType.NOTHING]
        if not classes or not all(classes):
            return False
        for one in classes:
            definitions = project.members.method(one, name) if one is not None else []
            if [d.binding.node for d in definitions] != [function]:
                return False
    return project.members.overridden(owner, name) == []
