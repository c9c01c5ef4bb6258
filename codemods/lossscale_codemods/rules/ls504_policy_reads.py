# SPDX-License-Identifier: Apache-2.0
"""Tests of `policy.loss_scale` for `None` ask for the policy's name. Other reads are reported.

TensorFlow 2.4 removed the loss scale from policies and from their text:
https://github.com/tensorflow/tensorflow/releases/tag/v2.4.0. The policy's name says whether losses
are scaled. Only the optimizer knows the scale.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.syntax_tree import dotted
from lossscale_codemods.rules.base import Case, Review, Rewrite, Rule, Verdict
from lossscale_codemods.rules.markers import OLD_NAMES, Marker
from lossscale_codemods.rules.shared.attribute_reads import attributes, occurrence_at
from lossscale_codemods.rules.shared.constructors import loss_scale_argument
from lossscale_codemods.rules.shared.literal_policies import (
    SCALED,
    asks_for_scale,
    is_as_named,
    name_of,
    policies_made,
)
from lossscale_codemods.vocabulary.names import Meaning
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.program import Program

_READ = ("loss_scale", "should_cast_variables")
_TEXT = {"print", "str", "repr", "format", "debug", "info", "warning", "warn", "error", "log"}
"""Functions and methods that write what they are given as text."""
_HEAD = "import tensorflow as tf\npolicy = tf.keras.mixed_precision.experimental.global_policy()\n"
_NEW_HEAD = "import tensorflow as tf\npolicy = tf.keras.mixed_precision.global_policy()\n"


class PolicyReads(Rule):
    """Rewrites what is asked of a policy about its loss scale."""

    id = "LS504"
    title = "The loss scale of a policy"
    markers = (*OLD_NAMES, Marker(b"should_cast_variables"))
    invalid = (
        Case(
            f"{_HEAD}scaled = policy.loss_scale is not None\n",
            f'{_NEW_HEAD}scaled = policy.name == "mixed_float16"\n',
        ),
        Case(
            f"{_HEAD}if not policy.loss_scale:\n    train()\n",
            f'{_NEW_HEAD}if policy.name != "mixed_float16":\n    train()\n',
        ),
    )
    valid = (
        Case(
            f"{_HEAD}print(policy.loss_scale)\n",
            f"{_NEW_HEAD}print(policy.loss_scale)\n",
            review="no loss scale any more",
        ),
        Case(
            f"{_HEAD}print(policy)\n",
            f"{_NEW_HEAD}print(policy)\n",
            review="the text of a policy",
        ),
        Case(
            f"{_HEAD}scaled = hasattr(policy, 'loss_scale')\n",
            f"{_NEW_HEAD}scaled = hasattr(policy, 'loss_scale')\n",
            review="no loss scale any more",
        ),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields reads of what proven policies no longer have."""
        for node in attributes(program, *_READ):
            is_policy = program.types.is_policy(node.value) or _is_called_policy(node, program)
            if (
                is_policy
                and not self._is_layer_policy(node.value, program)
                and not _is_taken(node, program)
            ):
                yield occurrence_at(program, node, self.id)
        for call in program.tree.parents:
            if isinstance(call, cst.Call) and _looks_up(call, program):
                yield Occurrence(call, program.tree.span(call), Role.FOUND, rule=self.id)
        made = {
            program.call(occurrence)
            for occurrence in program.references
            if occurrence.meaning in (Meaning.POLICY, Meaning.GLOBAL_POLICY)
        }
        made.discard(None)
        if not made:
            return
        for text in _as_text(program):
            if text in made or any(v.made_by in made for v in program.types.values(text)):
                yield occurrence_at(program, text, self.id)

    @staticmethod
    def _is_layer_policy(node: cst.BaseExpression, program: Program) -> bool:
        return isinstance(node, cst.Call) and any(
            o.meaning is Meaning.LAYER_POLICY and o.node is node.func for o in program.references
        )

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Rewrites tests for None."""
        node = occurrence.node
        if occurrence.rule != self.id:
            return None
        if isinstance(node, cst.Call) and _looks_up(node, program):
            return Review(
                "policies have no loss scale any more, and this looks for one by its name",
                "Ask for the policy's `name`; it is 'mixed_float16' where losses are scaled.",
            )
        if not isinstance(node, cst.Attribute) or node.attr.value not in _READ:
            return Review(
                "the text of a policy has no loss scale any more",
                "Write its `name` instead, or leave it if only people read the text. Later runs do "
                "not report it, because the text is right in new code.",
            )
        if node.attr.value == "should_cast_variables":
            return Review(
                "should_cast_variables is gone",
                "Compare `policy.compute_dtype` with `policy.variable_dtype`.",
            )
        test = asks_for_scale(node, program) if program.types.is_policy(node.value) else None
        if test is None:
            return Review(
                "policies have no loss scale any more",
                "Read the optimizer's `loss_scale`; where an optimizer is made with it, write the "
                "loss scale.",
            )
        other = next((p for p in policies_made(program) if not is_as_named(p, program)), None)
        if other is not None:
            return Review(
                f"policies have no loss scale any more, and that of {name_of(other, program)!r} on "
                f"line {program.line(other)} is not what its name says",
                "Decide here by what the program is to do.",
            )
        asking, has_scale = test
        sign = "==" if has_scale else "!="
        start, end = program.tree.span(asking)
        behind = program.tree.full_span(node.value)[1]
        edits = [
            Edit(start, program.tree.full_span(node.value)[0], ""),
            Edit(behind, end, f'.name {sign} "{SCALED}"'),
        ]
        return Rewrite("under mixed_float16 alone there is a loss scale", lambda _: edits)


def _is_called_policy(node: cst.Attribute, program: Program) -> bool:
    """Whether the loss scale is that of what is called a policy, in a file that makes some."""
    word = (dotted(node.value) or "").rpartition(".")[2].lower()
    return word.endswith("policy") and any(
        occurrence.meaning in (Meaning.POLICY, Meaning.GLOBAL_POLICY)
        for occurrence in program.references
    )


def _is_taken(read: cst.Attribute, program: Program) -> bool:
    """Whether a loss scale is read for an old constructor, whose rule says what becomes of it."""
    argument = program.tree.parent(read)
    call = program.tree.parent(argument) if isinstance(argument, cst.Arg) else None
    return (
        isinstance(call, cst.Call)
        and loss_scale_argument(call) is argument
        and any(o.node is call.func and o.meaning is Meaning.OPTIMIZER for o in program.references)
    )


def _looks_up(call: cst.Call, program: Program) -> bool:
    """Whether a call is `hasattr(policy, "loss_scale")` or `getattr(policy, "loss_scale")`."""
    match call:
        case cst.Call(
            func=cst.Name(value="getattr" | "hasattr"),
            args=[cst.Arg(value=policy, star=""), cst.Arg(value=cst.SimpleString() as name), *_],
        ):
            return name.evaluated_value in _READ and program.types.is_policy(policy)
    return False


def _as_text(program: Program) -> Iterator[cst.BaseExpression]:
    """Yields what is written as text."""
    for node in program.tree.parents:
        match node:
            case cst.FormattedStringExpression():
                yield node.expression
            case cst.BinaryOperation(operator=cst.Modulo(), right=cst.Tuple(elements=elements)):
                yield from (element.value for element in elements)
            case cst.BinaryOperation(operator=cst.Modulo(), right=right):
                yield right
            case cst.Call(func=cst.Name(value=name) | cst.Attribute(attr=cst.Name(value=name))) if (
                name in _TEXT
            ):
                yield from (a.value for a in node.args if not a.star and a.keyword is None)
