# SPDX-License-Identifier: Apache-2.0
"""Old names of which something cannot be seen: where they come from, or how they are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.domain import Occurrence, Program, Role, Usage, loss_scale_optimizer
from lossscale_codemods.rules.base import Case, Found, Ignore, Review, Rule, Verdict, rename
from lossscale_codemods.rules.contrib import contrib_member
from lossscale_codemods.rules.loss_scale_arguments import takes_old_arguments
from lossscale_codemods.source.syntax_tree import dotted, is_none
from lossscale_codemods.tables import frameworks
from lossscale_codemods.tables.names import Meaning, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD = "import tensorflow as tf\n"
_OLD = "tf.keras.mixed_precision.experimental"
_NEW = "tf.keras.mixed_precision"
_WITH_SAME_MEMBERS = frozenset({Meaning.MODULE, Meaning.FIXED, Meaning.DYNAMIC, Meaning.LOSS_SCALE})
"""What has under its new name, or as a class that only moved, the members that it had."""
_CLASS_CALLED = Review(
    "the class of a loss-scale optimizer is called here, and the current one takes no loss_scale",
    "Pass dynamic=, initial_scale= and dynamic_growth_steps= instead of loss_scale=.",
)


class UnknownRoot(Rule):
    """A name that looks like an old one is reported if the object at its root is unknown.

    In `def build(tf): return tf.keras.mixed_precision.experimental`, `tf` can be TensorFlow or
    another object with the same attributes. The same is true of `from mylib import tf`, and of
    `contrib.mixed_precision()`, which imports the module when it is called. If the root is known to
    be another package, there is no finding.
    """

    id = "LS104"
    title = "Old names with an unknown root"
    targets = frozenset(Target)
    valid = (
        Case(
            f"def build(tf):\n    {_OLD}.set_policy('mixed_float16')\n",
            review="where its first part comes from",
        ),
        Case(
            "from mylib import contrib\n"
            "manager = contrib.mixed_precision().FixedLossScaleManager(128)\n",
            review="where its first part comes from",
        ),
        Case(
            f"from mylib import tf\n{_OLD}.set_policy('mixed_float16')\n",
            review="where its first part comes from",
        ),
        Case(
            "import sparse_operation_kit as sok\n"
            "opt = sok.tf.keras.mixed_precision.LossScaleOptimizer(opt, 1024)\n"
            "sok.tf.keras.mixed_precision.experimental.set_policy('x')\n",
        ),
    )

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reports every name of this kind."""
        if occurrence.role is not Role.UNRESOLVED:
            return None
        if contrib_member(occurrence.node, program) is not None:
            return None
        return Review(
            "it reads like an old name, but where its first part comes from cannot be seen here",
            "If it is TensorFlow, write the new name; if not, suppress this finding.",
        )


class PassedOn(Rule):
    """An old name that is passed on, returned or unpacked is reported: its calls are unknown.

    `functools.partial(LossScaleOptimizer, loss_scale=128)` and `return LossScaleOptimizer` give the
    class to code that can call it with the old arguments. The rule rewrites names of the two
    private modules that tf-keras has too. A call of an optimizer's class through the optimizer,
    `type(opt)(inner, "dynamic")`, is reported as well.
    """

    id = "LS205"
    title = "Names that are passed on"
    explains = frozenset({Meaning.PRIVATE})
    valid = (
        Case(
            f"{_HEAD}WRAP = [{_OLD}.LossScaleOptimizer]\n",
            review="how it will be called cannot be seen here",
        ),
        Case(
            f"{_HEAD}from functools import partial\n"
            f"wrap = partial({_OLD}.LossScaleOptimizer, loss_scale=64)\n",
            review="how it will be called cannot be seen here",
        ),
        Case(
            f"{_HEAD}opt = {_OLD}.LossScaleOptimizer.from_config(c)\n",
            review="from_config",
        ),
        Case(
            "from tensorflow.python.keras.mixed_precision.experimental.policy import PolicyV1\n"
            "ok = isinstance(x, PolicyV1)\n",
            review="a private part of TensorFlow",
        ),
        Case(
            f"{_HEAD}opt = {_OLD}.LossScaleOptimizer(o, 'dynamic')\nother = type(opt)(inner, 48)\n",
            f"{_HEAD}opt = {_NEW}.LossScaleOptimizer(o)\nother = type(opt)(inner, 48)\n",
            review="the class of a loss-scale optimizer",
        ),
    )
    invalid = (
        Case(
            "from tensorflow.python.keras import mixed_precision\n"
            "ok = isinstance(x, mixed_precision.experimental.autocast_variable.AutoCastVariable)\n",
            "from tf_keras.src.mixed_precision.autocast_variable import AutoCastVariable\n"
            "ok = isinstance(x, AutoCastVariable)\n",
        ),
    )

    def find(self, program: Program) -> Iterator[Found]:
        """Yields calls of an optimizer's class through the optimizer, with old arguments."""
        for node in program.tree.nodes(cst.Call):
            owner = _instance_of(node.func)
            if (
                owner is not None
                and takes_old_arguments(node)
                and not isinstance(node.args[0].value, cst.BaseNumber)
                and loss_scale_optimizer(owner, program).can_be
            ):
                yield self.found(node, program, _CLASS_CALLED)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reports classes and modules that escape."""
        if occurrence.role is not Role.REFERENCE or occurrence.meaning is None:
            return None
        if occurrence.meaning is Meaning.PRIVATE:
            return _of_private(occurrence, program)
        usage = program.usage(occurrence)
        if usage is Usage.VALUE and _is_tested(occurrence, program):
            return rename("only asked whether it is there", occurrence)
        if occurrence.ambiguous and _is_asked_for_member(occurrence, program):
            return Ignore()  # What is taken of either module is found by itself.
        if usage is Usage.MEMBER and occurrence.meaning not in _WITH_SAME_MEMBERS:
            above = program.tree.parent(occurrence.node)
            member = getattr(getattr(above, "attr", None), "value", "a member")
            return Review(
                f"{member} of the class is not the same in the new class",
                "Look at what it is used for, and change that with it. The optimizer of tf-keras "
                "has no from_config.",
            )
        is_pattern = isinstance(program.tree.parent(occurrence.node), cst.MatchClass)
        if usage is Usage.VALUE and is_pattern:
            return Review(
                "the pattern asks for attributes, and the new class has others",
                "Ask for the class alone, and read what you need of it behind the colon.",
            )
        if usage is Usage.VALUE and occurrence.meaning in (Meaning.OPTIMIZER, Meaning.POLICY):
            return Review(
                "it is passed on, so how it will be called cannot be seen here",
                "Change the places that call it, then this one.",
            )
        if occurrence.meaning is Meaning.MODULE and usage is not Usage.ALIAS:
            return _of_module(occurrence, usage, program)
        return None

    def decide_rest(self, occurrence: Occurrence, program: Program) -> Review | None:
        """Reports what no rule knows."""
        del occurrence, program
        return Review(
            "it is used in a way that no rule knows",
            f"Change it by hand; `compat-lossscale migrate --explain {self.id}` says more.",
        )


def _of_module(occurrence: Occurrence, usage: Usage, program: Program) -> Review:
    """Says what there is to say of a module that is passed on, or a member that no rule knows."""
    member = program.tree.parent(occurrence.node)
    what = getattr(getattr(member, "attr", None), "value", None)
    if usage is Usage.MEMBER and what:
        return Review(
            f"{what} is replaced here, or has no public equivalent",
            "Replace the new name instead, once everything else uses it; for what has none, see "
            "the migration guide.",
        )
    return Review(
        "the module is passed on, so what will be taken from it cannot be seen here",
        "Change the places that use it, then this one.",
    )


def _of_private(occurrence: Occurrence, program: Program) -> Verdict:
    others = program.resolver.paths(occurrence.node) - {o.path for o in occurrence.names}
    if others and all(p is not None and frameworks.is_framework(p) for p in others):
        return Ignore()  # Another import has it from where it is today.
    if all(old.new for old in occurrence.names):
        return rename("where tf-keras has the module, which is private as well", occurrence)
    return Review(
        "it is a private part of TensorFlow that is not there any more",
        "Do without it, or take it from tf_keras.src.mixed_precision if that still has it.",
    )


def _is_tested(occurrence: Occurrence, program: Program) -> bool:
    """Whether the name is used in `if name:`, `name is None` or `hasattr(name, "member")`."""
    node, above = occurrence.node, program.tree.parent(occurrence.node)
    if isinstance(above, cst.Expr):
        return True
    if isinstance(above, cst.Arg):
        call = program.tree.parent(above)
        asked = call.args[1].value if isinstance(call, cst.Call) and call.args[1:] else node
        probe = program.reachability.feature_probe(asked)
        return probe is not None and probe.kind == "hasattr"
    if isinstance(above, cst.Comparison):
        return above.left is node and all(is_none(c.comparator) for c in above.comparisons)
    if isinstance(above, cst.UnaryOperation):
        return isinstance(above.operator, cst.Not)
    tests = cst.If | cst.IfExp | cst.While | cst.Assert
    return isinstance(above, tests) and above.test is node


def _is_asked_for_member(occurrence: Occurrence, program: Program) -> bool:
    """Whether this is `hasattr(name, "member")`."""
    call = program.tree.taker_of(occurrence.node)
    if call is None or dotted(call.func) != "hasattr":
        return False
    return call.args[0].value is occurrence.node


def _instance_of(function: cst.BaseExpression) -> cst.BaseExpression | None:
    """Returns x of `type(x)` and of `x.__class__`."""
    match function:
        case cst.Call(func=cst.Name(value="type"), args=[cst.Arg(value=instance, star="")]):
            return instance
        case cst.Attribute(value=instance, attr=cst.Name(value="__class__")):
            return instance
    return None
