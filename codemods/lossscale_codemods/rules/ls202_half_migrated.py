# SPDX-License-Identifier: Apache-2.0
"""The new class gets new arguments: `mixed_precision.LossScaleOptimizer(opt, "dynamic")`.

Such a call has the new name and the old argument, and is an error in every TensorFlow that has the
new class. A number without a keyword stays: Keras 3 reads it as the first value of a dynamic scale,
and the old API read it as a fixed one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.loss_scale_types import LossScaleType
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.program import Program
from lossscale_codemods.rules.base import Case, Ignore, Review, Rule, Verdict, rename
from lossscale_codemods.rules.shared.constructors import loss_scale_argument, rewrite_constructor
from lossscale_codemods.rules.shared.keras_3_places import is_moved, old_name
from lossscale_codemods.rules.shared.loss_scale_arguments import ArgumentReader
from lossscale_codemods.vocabulary import frameworks
from lossscale_codemods.vocabulary.names import WITH_KERAS_2, WITH_KERAS_3

if TYPE_CHECKING:
    from collections.abc import Iterator


_HEAD = "from tensorflow.keras import mixed_precision\n"
_NEW = "mixed_precision.LossScaleOptimizer"


class HalfMigrated(Rule):
    """Finishes calls of the new constructor that still have the old argument."""

    id = "LS202"
    title = "Half-migrated constructor"
    invalid = (
        Case(f"{_HEAD}opt = {_NEW}(opt, 'dynamic')\n", f"{_HEAD}opt = {_NEW}(opt)\n"),
        Case(
            f"{_HEAD}opt = {_NEW}(opt, loss_scale=1024)\n",
            f"{_HEAD}opt = {_NEW}(opt, dynamic=False, initial_scale=1024)\n",
        ),
    )
    valid = (
        Case(f"{_HEAD}opt = {_NEW}(opt, False, 1024)\n"),
        Case(f"{_HEAD}opt = {_NEW}(opt, dynamic=use_dynamic)\n"),
        Case(f"{_HEAD}opt = {_NEW}(opt, 1024)\n", review="Keras 3"),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields calls of the new class with something that can be the old argument."""
        for node in program.tree.parents:
            if not isinstance(node, cst.Call) or not isinstance(
                node.func, cst.Name | cst.Attribute
            ):
                continue
            paths = program.resolver.paths(node.func)
            if not paths or not all(
                p is not None and frameworks.is_new_optimizer(p) for p in paths
            ):
                continue
            if self.can_be_old(node):
                span = program.tree.span(node.func)
                moved = [p for p in paths if p and program.target in WITH_KERAS_3 and is_moved(p)]
                names = tuple(old_name(path, program.target) for path in moved)
                yield Occurrence(node.func, span, Role.FOUND, names, rule=self.id)

    @staticmethod
    def can_be_old(call: cst.Call) -> bool:
        """Whether a call of the new class has something that can be the old argument."""
        if any(argument.star for argument in call.args) or len(call.args) > 2:
            return False
        argument = loss_scale_argument(call)
        if argument is None:
            return False
        value = argument.value
        return argument.keyword is not None or not (
            isinstance(value, cst.Name) and value.value in {"True", "False"}
        )

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Rewrites what can only be the old argument."""
        call = program.call(occurrence)
        if occurrence.rule != self.id or call is None:
            return None
        argument = loss_scale_argument(call)
        if argument is None:
            return None
        if program.reachability.is_bool_today(argument.value):
            # It is `dynamic`, and something else in old versions.
            return rename("the class of the target", occurrence) if occurrence.names else Ignore()
        kinds = ArgumentReader(program).types(argument.value)
        if argument.keyword is None and not kinds <= {LossScaleType.DYNAMIC, LossScaleType.OBJECT}:
            if kinds == {LossScaleType.UNKNOWN} and not self._is_named_like_a_scale(argument.value):
                return Ignore()
            return Review(
                "the second argument means a fixed loss scale to the old API, the first value of a "
                "dynamic one to Keras 3, and `dynamic` to the API between",
                "Say which: `dynamic=False, initial_scale=...` or `initial_scale=...`.",
            )
        paths = program.resolver.paths(call.func) if program.target in WITH_KERAS_2 else ()
        if kinds != {LossScaleType.DYNAMIC} and any(p and p.startswith("keras.") for p in paths):
            return Review(
                "`keras` is Keras 3 now, whose LossScaleOptimizer has a dynamic loss scale only",
                "Use LossScaleOptimizer of tf_keras, or of tf.keras under TF_USE_LEGACY_KERAS=1; "
                "in Keras 3, a fixed loss scale is the optimizer's own loss_scale_factor.",
            )
        return rewrite_constructor(occurrence, call, program)

    @staticmethod
    def _is_named_like_a_scale(node: cst.BaseExpression) -> bool:
        last = node.attr if isinstance(node, cst.Attribute) else node
        return not isinstance(last, cst.Name) or "scale" in last.value.lower()
