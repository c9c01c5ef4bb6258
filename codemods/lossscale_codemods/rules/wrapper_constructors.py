# SPDX-License-Identifier: Apache-2.0
"""The `loss_scale` of `LossScaleOptimizer` becomes `dynamic=False, initial_scale=` or nothing.

In TensorFlow 2.4, the arguments `dynamic`, `initial_scale` and `dynamic_growth_steps` replaced
`loss_scale`: https://github.com/tensorflow/tensorflow/releases/tag/v2.4.0. The rule removes
`"dynamic"`, which is the default, and turns a number into a fixed scale. The arguments of a
`DynamicLossScale` or `FixedLossScale` become arguments of the constructor. If only the running
program knows the value, a helper function converts it at run time. The codemod proves that every
rewritten call has the same meaning as before.

A call of the current class with an old argument, `mixed_precision.LossScaleOptimizer(opt,
"dynamic")`, is an error in every TensorFlow that has that class, and gets the new arguments too. A
number without a keyword stays: Keras 3 reads it as the first value of a dynamic scale, and the old
API read it as a fixed one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from lossscale_codemods.domain import LossScaleType, Occurrence, Role
from lossscale_codemods.rules.base import Case, Ignore, Review, Rule, Verdict, rename
from lossscale_codemods.rules.loss_scale_arguments import (
    ArgumentReader,
    is_moved,
    loss_scale_argument,
    old_name,
    rewrite_constructor,
    takes_old_arguments,
)
from lossscale_codemods.tables.frameworks import is_new_optimizer
from lossscale_codemods.tables.names import WITH_KERAS_2, WITH_KERAS_3, Meaning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.domain import Program

_HEAD = "import tensorflow as tf\n"
_OLD = "tf.keras.mixed_precision.experimental.LossScaleOptimizer"
_NEW = "tf.keras.mixed_precision.LossScaleOptimizer"


class Constructors(Rule):
    """Rewrites calls of the experimental constructor."""

    id = "LS201"
    title = "Constructor of the loss-scale optimizer"
    explains = frozenset({Meaning.OPTIMIZER})
    invalid = (
        Case(f"{_HEAD}opt = {_OLD}(opt, 'dynamic')\n", f"{_HEAD}opt = {_NEW}(opt)\n"),
        Case(
            f"{_HEAD}opt = {_OLD}(opt, loss_scale=128)\n",
            f"{_HEAD}opt = {_NEW}(opt, dynamic=False, initial_scale=128)\n",
        ),
        Case(
            f"{_HEAD}opt = {_OLD}(\n    opt,\n    loss_scale='dynamic',  # as usual\n)\n",
            f"{_HEAD}opt = {_NEW}(\n    opt,  # as usual\n)\n",
        ),
        Case(
            f"{_HEAD}opt = {_OLD}(optimizer=opt, loss_scale="
            "tf.train.experimental.DynamicLossScale(2 ** 10, increment_period=500))\n",
            f"{_HEAD}opt = {_NEW}(inner_optimizer=opt, initial_scale=2 ** 10, "
            "dynamic_growth_steps=500)\n",
        ),
        Case(
            f"{_HEAD}def wrap(opt):\n"
            "    scale = tf.mixed_precision.experimental.FixedLossScale(64)\n"
            f"    return {_OLD}(opt, scale)\n",
            f"{_HEAD}def wrap(opt):\n    return {_NEW}(opt, dynamic=False, initial_scale=64)\n",
        ),
        Case(f"{_HEAD}opt = {_NEW}(opt, 'dynamic')\n", f"{_HEAD}opt = {_NEW}(opt)\n"),
    )
    valid = (
        Case(f"{_HEAD}opt = {_OLD}(opt, None)\n", review="was an error in every version"),
        Case(f"{_HEAD}opt = {_OLD}(opt, **kwargs)\n", review="unpacked"),
        Case(
            f"{_HEAD}opt = {_OLD}(opt, tf.train.experimental.DynamicLossScale(multiplier=4))\n",
            review="multiplier of 4 has no equivalent",
        ),
        Case(f"{_HEAD}opt = {_NEW}(opt, 1024)\n", review="Keras 3"),
        Case(f"{_HEAD}opt = {_NEW}(opt, False, 1024)\n"),
        Case("from mylib import LossScaleOptimizer\nopt = LossScaleOptimizer(opt, 'dynamic')\n"),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields calls of the current class with something that can be the old argument."""
        for node in program.tree.nodes(cst.Call):
            if not takes_old_arguments(node):
                continue
            paths = [path or "" for path in program.resolver.paths(node.func)]
            if paths and all(map(is_new_optimizer, paths)):
                moved = filter(is_moved, paths) if program.target in WITH_KERAS_3 else ()
                names = tuple(old_name(path, program.target) for path in moved)
                span = program.tree.span(node.func)
                yield Occurrence(node.func, span, Role.FOUND, names, rule=self.id)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Rewrites a call, whatever its loss scale is written as."""
        if occurrence.rule == self.id:
            return _half_migrated(occurrence, program)
        if occurrence.meaning is not Meaning.OPTIMIZER:
            return None
        call = program.call(occurrence)
        if call is None:
            return None
        if any(argument.star for argument in call.args):
            return Review(
                "its arguments are unpacked, so they cannot be seen here",
                "Pass dynamic=, initial_scale= and dynamic_growth_steps= instead of loss_scale=.",
            )
        if occurrence.ambiguous and not takes_old_arguments(call):
            if program.reachability.is_only_new(call):
                return Ignore()
            return Review(
                "on other ways through the program this name is that of the new class, for which "
                "the call is right",
                "Take out the import for old versions, if TensorFlow 2.4 is the oldest that you "
                "support.",
            )
        scale = loss_scale_argument(call)
        if occurrence.ambiguous and scale and program.reachability.is_bool_today(scale.value):
            return Ignore()
        paths = program.resolver.paths(occurrence.node)
        if occurrence.ambiguous and any(p is not None and is_new_optimizer(p) for p in paths):
            return Review(
                "on new versions this name means the current class, which takes no `loss_scale`",
                "Remove the import for old versions, then run again.",
            )
        return rewrite_constructor(occurrence, call, program)


def _half_migrated(occurrence: Occurrence, program: Program) -> Verdict | None:
    """Says what becomes of a call of the current class with what can be an old argument."""
    call = program.call(occurrence)
    argument = loss_scale_argument(call) if call is not None else None
    if call is None or argument is None:
        return None
    if program.reachability.is_bool_today(argument.value):
        # It is `dynamic`, and something else in old versions.
        return rename("the class of the target", occurrence) if occurrence.names else Ignore()
    kinds = ArgumentReader(program).types(argument.value)
    if argument.keyword is None and not kinds <= {LossScaleType.DYNAMIC, LossScaleType.OBJECT}:
        if kinds == {LossScaleType.UNKNOWN} and not _is_named_like_a_scale(argument.value):
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


def _is_named_like_a_scale(node: cst.BaseExpression) -> bool:
    last = node.attr if isinstance(node, cst.Attribute) else node
    return not isinstance(last, cst.Name) or "scale" in last.value.lower()
