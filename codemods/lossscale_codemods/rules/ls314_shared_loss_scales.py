# SPDX-License-Identifier: Apache-2.0
"""Reads of the state of a loss scale object that other code gets as well are reported.

Up to TensorFlow 2.3, `scale = DynamicLossScale(); opt = LossScaleOptimizer(opt, scale)` shared the
object, and `scale()` returned the current scale. The current optimizer keeps its own state:
https://github.com/tensorflow/tensorflow/releases/tag/v2.4.0. A constructor whose object the file
reads is left, and this rule reports reads of objects that are given to a function or kept in a
container.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.rules.base import Case, Review, Rule, Verdict
from lossscale_codemods.rules.shared.loss_scale_objects import lost_places

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.program import Program

_HEAD = "import tensorflow as tf\n"
_OLD = "tf.keras.mixed_precision.experimental.LossScaleOptimizer"
_SCALE = "tf.mixed_precision.experimental.DynamicLossScale"
_NEW_SCALE = "tf.compat.v1.mixed_precision.DynamicLossScale"


_LOST = Review(
    "the object is given to other code, and no longer moves if that makes an optimizer of it: "
    "optimizers do not share its state",
    "Read `loss_scale` of the optimizer here.",
)


class SharedScales(Rule):
    """Reports reads of a state that may no longer move."""

    id = "LS314"
    title = "Loss scales that are shared with an optimizer"
    valid = (
        Case(
            f"{_HEAD}scale = {_SCALE}(64)\nopt = wrap(inner, scale)\nprint(scale().numpy())\n",
            f"{_HEAD}scale = {_NEW_SCALE}(64)\nopt = wrap(inner, scale)\nprint(scale().numpy())\n",
            review="no longer moves",
        ),
        Case(
            f"{_HEAD}scale = {_SCALE}(64)\nopts = [{_OLD}(o, scale) for o in inner]\n",
            review="share its state",
        ),
        Case(
            f"{_HEAD}scale = {_SCALE}(64)\nopt = {_OLD}(inner, scale)\nprint(scale())\n",
            review="where its live state matters",
        ),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields the places that ask for the state of an object that other code gets as well."""
        for node in lost_places(program):
            yield Occurrence(node, program.tree.span(node), Role.DOUBTFUL, rule=self.id)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reports it."""
        del program
        return _LOST if occurrence.rule == self.id else None
