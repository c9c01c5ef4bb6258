# SPDX-License-Identifier: Apache-2.0
"""`isinstance(opt.loss_scale, DynamicLossScale)` becomes `opt.dynamic`.

Since TensorFlow 2.4, the loss scale of an optimizer is a tensor, whether it is fixed or dynamic:
https://github.com/tensorflow/tensorflow/releases/tag/v2.4.0. The optimizer has an attribute for
that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.loss_scale_owners import attribute_owner
from lossscale_codemods.analysis.narrowing import is_type_assertion
from lossscale_codemods.analysis.program import Program, Usage
from lossscale_codemods.analysis.same_object import SameObject
from lossscale_codemods.rules.base import Case, Review, Rewrite, Rule, Verdict
from lossscale_codemods.rules.shared.attribute_reads import put
from lossscale_codemods.vocabulary.names import WITH_LOSS_SCALE, Meaning
from lossscale_codemods.vocabulary.records import Edit

if TYPE_CHECKING:
    from lossscale_codemods.analysis.occurrences import Occurrence

_HEAD = (
    "import tensorflow as tf\n"
    "opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 'dynamic')\n"
)
_NEW_HEAD = "import tensorflow as tf\nopt = tf.keras.mixed_precision.LossScaleOptimizer(opt)\n"
_DYNAMIC = "tf.mixed_precision.experimental.DynamicLossScale"
_FIXED = "tf.mixed_precision.experimental.FixedLossScale"
_CLASSES = (Meaning.DYNAMIC, Meaning.FIXED, Meaning.LOSS_SCALE)


class LossScaleTests(Rule):
    """Asks the optimizer of what kind its loss scale is."""

    id = "LS312"
    title = "Type tests of the loss scale"
    targets = WITH_LOSS_SCALE
    invalid = (
        Case(
            f"{_HEAD}if isinstance(opt.loss_scale, {_DYNAMIC}):\n    print('moves')\n",
            f"{_NEW_HEAD}if opt.dynamic:\n    print('moves')\n",
        ),
        Case(
            f"{_HEAD}if isinstance(opt.loss_scale, {_FIXED}):\n    print('stays')\n",
            f"{_NEW_HEAD}if not opt.dynamic:\n    print('stays')\n",
        ),
    )
    valid = (
        Case(
            f"{_HEAD}def moves(x):\n    return isinstance(x.loss_scale, {_DYNAMIC})\n",
            f"{_NEW_HEAD}def moves(x):\n    return isinstance(x.loss_scale, {_DYNAMIC})\n",
            review="can be the loss scale of an optimizer",
        ),
        Case(
            "import tensorflow as tf\n"
            f"def moves(loss_scale):\n    return isinstance(loss_scale, {_DYNAMIC})\n",
            "import tensorflow as tf\n"
            "def moves(loss_scale):\n"
            "    return isinstance(loss_scale, tf.compat.v1.mixed_precision.DynamicLossScale)\n",
        ),
    )

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Decides on a loss scale's class that the loss scale of an optimizer is tested for."""
        if occurrence.meaning not in _CLASSES:
            return None
        if program.usage(occurrence) is not Usage.TYPE_TEST:
            return None
        call = next(a for a in program.tree.ancestors(occurrence.node) if isinstance(a, cst.Call))
        tested = call.args[0].value
        if not self._can_be_of_optimizer(tested, program):
            return None
        owner = self._owner(tested, program)
        alone = call.args[1].value is occurrence.node
        if owner is None or not alone or occurrence.meaning is Meaning.LOSS_SCALE:
            return Review(
                "what is tested can be the loss scale of an optimizer, which is a tensor now and "
                "of no such class",
                "Ask the optimizer instead: `optimizer.dynamic`.",
            )
        edits = self._edits(call, f"{owner}.dynamic", occurrence, program)
        return Rewrite(
            "the optimizer says whether its loss scale is dynamic",
            lambda _: edits,
            keeps_name=False,
        )

    @staticmethod
    def _edits(
        call: cst.Call, dynamic: str, occurrence: Occurrence, program: Program
    ) -> list[Edit]:
        """Returns the edits that ask for `optimizer.dynamic` in place of a type test."""
        tree = program.tree
        is_fixed = occurrence.meaning is Meaning.FIXED
        if is_type_assertion(call) and isinstance(call.func, cst.Attribute):
            is_negative = call.func.attr.value == "assertNotIsInstance"
            method = "assertTrue" if is_fixed is is_negative else "assertFalse"
            asked = (tree.span(call.args[0])[0], tree.span(call.args[1].value)[1])
            return [Edit(*tree.span(call.func.attr), method), put(program, asked, dynamic)]
        if is_fixed:
            alone = LossScaleTests._stands_alone(call, program)
            dynamic = f"not {dynamic}" if alone else f"(not {dynamic})"
        return [put(program, tree.span(call), dynamic)]

    @staticmethod
    def _can_be_of_optimizer(tested: cst.BaseExpression, program: Program) -> bool:
        owner = attribute_owner(tested, program.resolver)
        if owner is not None and not program.types.is_policy(owner):
            return program.can_be_optimizer(owner)
        origins = program.loss_scales.of(tested)
        return any(o is not None and attribute_owner(o, program.resolver) for o in origins)

    @staticmethod
    def _owner(tested: cst.BaseExpression, program: Program) -> str | None:
        """Returns the source of the optimizer whose loss scale is tested, if it is proven."""
        owner = attribute_owner(tested, program.resolver)
        if owner is not None and program.types.is_wrapper(owner):
            return program.tree.source(owner)
        bindings = program.loss_scales.untested_bindings(tested)
        if len(bindings) != 1:
            return None
        (binding,) = bindings
        value = binding.value
        owner = attribute_owner(value, program.resolver) if value is not None else None
        if owner is None or program.loss_scales.of(tested) != {value}:
            return None
        return SameObject(program.resolver).spelled_at(owner, binding.node, binding, tested)

    @staticmethod
    def _stands_alone(call: cst.Call, program: Program) -> bool:
        above = program.tree.parent(call)
        plain = cst.If | cst.While | cst.Assert | cst.Assign | cst.Return | cst.Arg | cst.Expr
        return bool(call.lpar) or isinstance(above, plain | cst.BooleanOperation | cst.IfExp)
