# SPDX-License-Identifier: Apache-2.0
"""What the rules for old and for half-migrated constructors share: new arguments in a call."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.type_inference import ObjectType
from lossscale_codemods.analysis.wrapper_calls import optimizer_argument
from lossscale_codemods.editing.edits import append_arguments, replace_argument
from lossscale_codemods.rules.base import Review, Rewrite, of_known_loss_scale
from lossscale_codemods.rules.shared.arguments_helper import helper_source
from lossscale_codemods.rules.shared.keras_3_places import stock_constructor
from lossscale_codemods.rules.shared.loss_scale_arguments import (
    ArgumentReader,
    Arguments,
    simple_name,
)
from lossscale_codemods.vocabulary.names import Target
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lossscale_codemods.analysis.occurrences import Occurrence
    from lossscale_codemods.analysis.program import Program
    from lossscale_codemods.editing.name_rendering import NameRenderer

COUNT_SKIPPED_STEPS = "count_skipped_steps=True"
"""Has `iterations` count steps that are skipped, as in TensorFlow from 2.3 on; Keras 3 does not."""
_KNOWN_KEYWORDS = {"opt", "optimizer", "inner_optimizer", "loss_scale"}


def loss_scale_argument(call: cst.Call) -> cst.Arg | None:
    """Returns the argument of an old constructor call that is the loss scale."""
    for index, argument in enumerate(call.args):
        if argument.keyword is None:
            if index == 1:
                return argument
        elif argument.keyword.value == "loss_scale":
            return argument
    return None


def takes_old_arguments(call: cst.Call) -> bool:
    """Whether a call has an argument that is, or could be, an old loss scale."""
    argument = loss_scale_argument(call)
    if argument is None:
        return False
    is_bool = isinstance(argument.value, cst.Name) and argument.value.value in {"True", "False"}
    new = {"dynamic", "initial_scale", "dynamic_growth_steps"}
    return not is_bool and not any(
        a.keyword is not None and a.keyword.value in new for a in call.args
    )


def rewrite_constructor(
    occurrence: Occurrence, call: cst.Call, program: Program
) -> Rewrite | Review:
    """Returns the rewrite of a constructor call with an old loss scale."""
    tree = program.tree
    optimizer, loss_scale = optimizer_argument(call), loss_scale_argument(call)
    unknown = [
        a.keyword.value
        for a in call.args
        if a.keyword is not None and a.keyword.value not in _KNOWN_KEYWORDS
    ]
    if unknown or len(call.args) > 2:
        what = ", ".join(unknown) or "so many arguments"
        return Review(
            f"the old constructor did not take {what}",
            "Correct the call first, then run again.",
        )
    if optimizer is None or loss_scale is None:
        missing = "optimizer" if optimizer is None else "loss_scale"
        return Review(
            f"the call does not say its {missing}, which was an error in every version",
            "Correct the call first, then run again.",
        )
    arguments = ArgumentReader(program).read(loss_scale.value, call)
    if isinstance(arguments, Review):
        return arguments
    if _is_nested(call, optimizer, program):
        return Review(
            "it wraps a loss-scale optimizer, which is an error from TensorFlow 2.4 on",
            "Wrap the optimizer once.",
        )

    def edits(renderer: NameRenderer) -> Sequence[Edit]:
        name_edits = renderer.name_edit(occurrence) if occurrence.names else []
        if arguments.branches is not None and simple_name(optimizer.value):
            return _two_calls(renderer, occurrence, call, optimizer, arguments, program)
        return [*name_edits, *argument_edits(renderer, occurrence, call, arguments, program)]

    made = Rewrite(
        arguments.message,
        edits,
        claims=arguments.claims,
        removes=arguments.removes,
        meaning=arguments.claim,
        constructor=tree.full_span(call),
    )
    if program.target is Target.KERAS3_ALONE:
        return arguments.doubt or stock_constructor(arguments.all_texts, made)
    if arguments.doubt is not None:
        fixes = of_known_loss_scale(made)
        return dataclasses.replace(arguments.doubt, unsafe_fix=made, observed_fixes=fixes)
    return made


def with_arguments_of(target: Target, texts: Sequence[str]) -> list[str]:
    """Returns the arguments of a constructor with those that it needs at one target besides.

    Args:
        target: The target.
        texts: The arguments that say the loss scale, as source.
    """
    if target is not Target.KERAS3 or "dynamic=False" in texts:
        return [*texts]  # With a fixed loss scale, no step is skipped.
    return [*texts, COUNT_SKIPPED_STEPS]


def argument_edits(
    renderer: NameRenderer,
    occurrence: Occurrence,
    call: cst.Call,
    arguments: Arguments,
    program: Program,
) -> list[Edit]:
    """Returns the edits that give a call the arguments of the new constructor."""
    edits: list[Edit] = []
    optimizer, loss_scale = optimizer_argument(call), loss_scale_argument(call)
    keyword = optimizer.keyword if optimizer is not None else None
    if keyword is not None and keyword.value != "inner_optimizer":
        edits.append(Edit(*program.tree.span(keyword), "inner_optimizer"))
    texts = with_arguments_of(program.target, arguments.texts)
    if loss_scale is not None:
        edits += replace_argument(program.tree, call, loss_scale, texts)
    elif texts:
        edits += append_arguments(program.tree, call, texts)
    if arguments.helper:
        renderer.helper(arguments.helper, helper_source(arguments.helper), occurrence)
    return edits


def _is_nested(call: cst.Call, optimizer: cst.Arg, program: Program) -> bool:
    """Whether what is wrapped is surely a loss-scale optimizer already."""
    bindings = program.resolver.bindings(optimizer.value)
    if any(binding.value is call for binding in bindings):
        return False  # `global opt; opt = Wrapper(opt, ...)`: its first value is from elsewhere.
    return program.types.of(optimizer.value) == {ObjectType.WRAPPER}


def _two_calls(
    renderer: NameRenderer,
    occurrence: Occurrence,
    call: cst.Call,
    optimizer: cst.Arg,
    arguments: Arguments,
    program: Program,
) -> list[Edit]:
    """Writes `A(opt) if flag else A(opt, ...)` for `Old(opt, "dynamic" if flag else ...)`."""
    tree = program.tree
    if arguments.branches is None:
        return []
    name = renderer.render(occurrence) if occurrence.names else tree.source(call.func)
    inner = tree.source(optimizer.value)
    if optimizer.keyword is not None:
        inner = f"inner_optimizer={inner}"
    test, yes, no = arguments.branches
    sides = [with_arguments_of(program.target, texts) for texts in (yes, no)]
    calls = [f"{name}({', '.join([inner, *texts])})" for texts in sides]
    text = f"{calls[0]} if {test} else {calls[1]}"
    start, end = tree.full_span(call)
    above = tree.parent(call)
    bare = isinstance(above, cst.Assign | cst.AnnAssign | cst.Return | cst.Arg | cst.Expr)
    if tree.text[start:end] != tree.text[slice(*tree.span(call))]:
        start, end = tree.span(call)  # It has parentheses of its own.
        bare = True
    return [Edit(start, end, text if bare else f"({text})")]
