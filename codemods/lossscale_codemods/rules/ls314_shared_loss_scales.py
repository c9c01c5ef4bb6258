# SPDX-License-Identifier: Apache-2.0
"""The state of a loss scale object that was passed to an optimizer is read from the optimizer.

Up to TensorFlow 2.3, `scale = DynamicLossScale(); opt = LossScaleOptimizer(opt, scale)` shared the
object, and `scale()` returned the current scale. The current optimizer keeps its own state:
https://github.com/tensorflow/tensorflow/releases/tag/v2.4.0.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.approximate_names import last_word
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.rules.base import Case, Ignore, Review, Rewrite, Rule, Verdict
from lossscale_codemods.rules.shared.shared_loss_scales import SharedLossScales

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.program import Program
    from lossscale_codemods.analysis.scanned_source import ScannedSource

_HEAD = "import tensorflow as tf\n"
_OLD = "tf.keras.mixed_precision.experimental.LossScaleOptimizer"
_NEW = "tf.keras.mixed_precision.LossScaleOptimizer"
_SCALE = "tf.mixed_precision.experimental.DynamicLossScale"
_NEW_SCALE = "tf.compat.v1.mixed_precision.DynamicLossScale"


class SharedScales(Rule):
    """Reads the state of shared loss scales from the optimizer."""

    id = "LS314"
    title = "Loss scales that are shared with an optimizer"
    order = 1  # Whether an optimizer takes an object over is decided with the optimizer.
    invalid = (
        Case(
            f"{_HEAD}scale = {_SCALE}(64)\nopt = {_OLD}(inner, scale)\ntrain(opt)\n"
            "print(scale().numpy())\n",
            f"{_HEAD}opt = {_NEW}(inner, initial_scale=64)\ntrain(opt)\n"
            "print(opt.loss_scale.numpy())\n",
        ),
    )
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
    )

    def can_fire(self, source: ScannedSource) -> bool:
        """Whether a loss scale object is made."""
        return source.names.has_old_name and any(
            (last_word(node.func) or "").endswith("LossScale") for node in source.nodes.of(ast.Call)
        )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields the places that ask for the state of a loss scale object."""
        shared = SharedLossScales(program)
        places = dict.fromkeys([place for place, _ in shared.live_places()])
        for node in (*places, *shared.lost_places()):
            yield Occurrence(node, program.tree.span(node), Role.DOUBTFUL, rule=self.id)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reads the optimizer instead, if its constructor is rewritten."""
        node = occurrence.node
        if occurrence.rule != self.id or not isinstance(node, cst.BaseExpression):
            return None
        shared = SharedLossScales(program)
        calls = [call for place, call in shared.live_places() if place is node]
        if not calls:
            return Review(
                "the object is given to other code, and no longer moves if that makes an "
                "optimizer of it",
                "Read `loss_scale` of the optimizer here.",
            )
        if calls[0].func not in program.rewritten:
            return Ignore()  # The optimizer still takes the object itself.
        respelling = shared.respelling(node, calls[0])
        if respelling is None:
            return Review(
                "the loss scale object no longer moves, because the optimizer keeps a state of "
                "its own",
                "Read `loss_scale` of the optimizer here.",
            )
        return Rewrite(respelling.message, lambda _: [respelling.edit])
