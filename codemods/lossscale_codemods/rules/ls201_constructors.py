# SPDX-License-Identifier: Apache-2.0
"""The `loss_scale` of `LossScaleOptimizer` becomes `dynamic=False, initial_scale=` or nothing.

In TensorFlow 2.4, the arguments `dynamic`, `initial_scale` and `dynamic_growth_steps` replaced
`loss_scale`: https://github.com/tensorflow/tensorflow/releases/tag/v2.4.0. The rule removes
`"dynamic"`, which is the default, and turns a number into a fixed scale. The arguments of a
`DynamicLossScale` or `FixedLossScale` become arguments of the constructor. If only the running
program knows the value, a helper function converts it at run time. The codemod proves that every
rewritten call has the same meaning as before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.rules.base import Case, Ignore, Review, Rule, Verdict
from lossscale_codemods.rules.shared.constructors import (
    loss_scale_argument,
    rewrite_constructor,
    takes_old_arguments,
)
from lossscale_codemods.vocabulary.frameworks import is_new_optimizer
from lossscale_codemods.vocabulary.names import Meaning

if TYPE_CHECKING:
    from lossscale_codemods.analysis.occurrences import Occurrence
    from lossscale_codemods.analysis.program import Program

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
        Case(
            f"{_HEAD}opt = {_OLD}(opt, 'dynamic' if flag else 128)\n",
            f"{_HEAD}opt = {_NEW}(opt) if flag else {_NEW}"
            "(opt, dynamic=False, initial_scale=128)\n",
        ),
    )
    valid = (
        Case(f"{_HEAD}opt = {_OLD}(opt, None)\n", review="was an error in every version"),
        Case(f"{_HEAD}opt = {_OLD}(opt, **kwargs)\n", review="unpacked"),
        Case(
            f"{_HEAD}opt = {_OLD}(opt, tf.train.experimental.DynamicLossScale(multiplier=4))\n",
            review="multiplier of 4 has no equivalent",
        ),
        Case("from mylib import LossScaleOptimizer\nopt = LossScaleOptimizer(opt, 'dynamic')\n"),
    )

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Rewrites a call, whatever its loss scale is written as."""
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
