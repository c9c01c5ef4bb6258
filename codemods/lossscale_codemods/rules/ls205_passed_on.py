# SPDX-License-Identifier: Apache-2.0
"""An old name that is passed on, returned or unpacked is reported: its calls are unknown.

`functools.partial(LossScaleOptimizer, loss_scale=128)` and `return LossScaleOptimizer` give the
class to code that can call it with the old arguments. If a property returns the class and has one
call, the rule rewrites the property together with that call. With `--unsafe-fixes`, it also
rewrites a property that can have other calls, and the arguments of `functools.partial`. It rewrites
names of the two private modules that tf-keras has too. A call of an optimizer's class through the
optimizer, `type(opt)(inner, "dynamic")`, is reported as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.program import Program, Usage
from lossscale_codemods.analysis.syntax_tree import is_none
from lossscale_codemods.analysis.what_is import loss_scale_optimizer
from lossscale_codemods.rules.base import Case, Ignore, Review, Rule, Verdict, rename
from lossscale_codemods.rules.shared.constructors import takes_old_arguments
from lossscale_codemods.rules.shared.unseen_calls import partial_call, returned_class
from lossscale_codemods.vocabulary import frameworks, names
from lossscale_codemods.vocabulary.names import Meaning

if TYPE_CHECKING:
    from collections.abc import Iterator


_HEAD = "import tensorflow as tf\n"
_WITH_SAME_MEMBERS = frozenset({Meaning.MODULE, Meaning.FIXED, Meaning.DYNAMIC, Meaning.LOSS_SCALE})
"""What has under its new name, or as a class that only moved, the members that it had."""
_REPLACE = "Replace the new name instead, once everything else uses it."


class PassedOn(Rule):
    """Reports names whose uses cannot be seen."""

    id = "LS205"
    title = "Names that are passed on"
    explains = frozenset({Meaning.PRIVATE})
    valid = (
        Case(
            f"{_HEAD}WRAP = [tf.keras.mixed_precision.experimental.LossScaleOptimizer]\n",
            review="how it will be called cannot be seen here",
        ),
        Case(
            f"{_HEAD}from functools import partial\n"
            "wrap = partial(tf.keras.mixed_precision.experimental.LossScaleOptimizer, "
            "loss_scale=64)\n",
            review="how it will be called cannot be seen here",
            unsafe=f"{_HEAD}from functools import partial\n"
            "wrap = partial(tf.keras.mixed_precision.LossScaleOptimizer, dynamic=False, "
            "initial_scale=64)\n",
        ),
        Case(
            f"{_HEAD}opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer"
            ".from_config(c)\n",
            review="from_config",
        ),
        Case(
            "from tensorflow.python.keras.mixed_precision.experimental.policy import PolicyV1\n"
            "ok = isinstance(x, PolicyV1)\n",
            review="a private part of TensorFlow",
        ),
        Case(
            f"{_HEAD}opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(o, 'dynamic')\n"
            "other = type(opt)(inner, 48)\n",
            f"{_HEAD}opt = tf.keras.mixed_precision.LossScaleOptimizer(o)\n"
            "other = type(opt)(inner, 48)\n",
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

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields calls of an optimizer's class through the optimizer, with old arguments."""
        for node in program.tree.parents:
            if isinstance(node, cst.Call) and takes_old_arguments(node):
                owner = _instance_of(node.func)
                if (
                    owner is not None
                    and not isinstance(node.args[0].value, cst.BaseNumber)
                    and loss_scale_optimizer(owner, program).can_be
                ):
                    span = program.tree.span(node)
                    yield Occurrence(node, span, Role.DOUBTFUL, rule=self.id)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reports classes and modules that escape."""
        if occurrence.rule == self.id:
            return Review(
                "the class of a loss-scale optimizer is called here, and the current one takes no "
                "loss_scale",
                "Pass dynamic=, initial_scale= and dynamic_growth_steps= instead of loss_scale=.",
            )
        if occurrence.role is not Role.REFERENCE or occurrence.meaning is None:
            return None
        if occurrence.meaning is Meaning.PRIVATE:
            return self._private(occurrence, program)
        usage = program.usage(occurrence)
        if usage is Usage.VALUE and self._is_tested(occurrence, program):
            return rename("only asked whether it is there", occurrence)
        if usage is Usage.MEMBER and occurrence.meaning not in _WITH_SAME_MEMBERS:
            above = program.tree.parent(occurrence.node)
            member = getattr(getattr(above, "attr", None), "value", "a member")
            advice = "Look at what it is used for, and change that with it."
            if member == "from_config":
                advice = (
                    "Look at what it does with configs of old versions; tf-keras' class has no "
                    "from_config."
                )
            return Review(f"{member} of the class is not the same in the new class", advice)
        is_pattern = isinstance(program.tree.parent(occurrence.node), cst.MatchClass)
        if usage is Usage.VALUE and is_pattern:
            return Review(
                "the pattern asks for attributes, and the new class has others",
                "Ask for the class alone, and read what you need of it behind the colon.",
            )
        if usage is Usage.VALUE and occurrence.meaning in (Meaning.OPTIMIZER, Meaning.POLICY):
            return self._passed_on(occurrence, program)
        if occurrence.meaning is Meaning.MODULE and usage is not Usage.ALIAS:
            member = program.tree.parent(occurrence.node)
            what = getattr(getattr(member, "attr", None), "value", None)
            if usage is Usage.MEMBER and what and member in program.scopes.binding_at:
                return Review(f"{what} of the module is replaced here", _REPLACE)
            if usage is Usage.MEMBER and any(
                names.lookup(f"{old.path}.{what}") for old in occurrence.names
            ):
                return Review(f"{what} of the module is replaced in this file", _REPLACE)
            if usage is Usage.MEMBER and what:
                return Review(
                    f"{what} has no public equivalent", "See the migration guide for its meaning."
                )
            return Review(
                "the module is passed on, so what will be taken from it cannot be seen here",
                "Change the places that use it, then this one.",
            )
        return None

    @staticmethod
    def _passed_on(occurrence: Occurrence, program: Program) -> Verdict:
        fix = returned = None
        if occurrence.meaning is Meaning.OPTIMIZER:
            returned = returned_class(occurrence, program)
            fix = returned.rewrite if returned else partial_call(occurrence, program)
        if returned is not None and returned.is_proven:
            return returned.rewrite
        return Review(
            "it is passed on, so how it will be called cannot be seen here",
            "Change the places that call it, then this one.",
            unsafe_fix=fix,
        )

    @staticmethod
    def _private(occurrence: Occurrence, program: Program) -> Verdict:
        others = program.resolver.paths(occurrence.node) - {o.path for o in occurrence.names}
        if others and all(p is not None and frameworks.is_framework(p) for p in others):
            return Ignore()  # Another import has it from where it is today.
        if all(old.new for old in occurrence.names):
            return rename("where tf-keras has the module, which is private as well", occurrence)
        return Review(
            "it is a private part of TensorFlow that is not there any more",
            "Do without it, or take it from tf_keras.src.mixed_precision if that still has it.",
        )

    def decide_rest(self, occurrence: Occurrence, program: Program) -> Review | None:
        """Reports what no rule knows."""
        del occurrence, program
        return Review(
            "it is used in a way that no rule knows",
            f"Change it by hand; `compat-lossscale migrate --explain {self.id}` says more.",
        )

    @staticmethod
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


def _instance_of(function: cst.BaseExpression) -> cst.BaseExpression | None:
    """Returns x of `type(x)` and of `x.__class__`."""
    match function:
        case cst.Call(func=cst.Name(value="type"), args=[cst.Arg(value=instance, star="")]):
            return instance
        case cst.Attribute(value=instance, attr=cst.Name(value="__class__")):
            return instance
    return None
