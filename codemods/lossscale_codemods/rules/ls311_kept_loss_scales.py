# SPDX-License-Identifier: Apache-2.0
"""A loss scale that a program keeps, `scale = opt.loss_scale`, is read from the optimizer later.

Up to TensorFlow 2.3, it was a live object. Since TensorFlow 2.4, it is a tensor with the value of
that moment: https://github.com/tensorflow/tensorflow/releases/tag/v2.4.0. If a later use provably
sees the same optimizer, it becomes a read from that optimizer. If the program prints the object, or
passes it to code that the codemod cannot follow, the rule reports the place.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.loss_scale_owners import scanned_owner
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.rules.base import Case, Rule, Verdict
from lossscale_codemods.rules.shared.kept_loss_scales import CALLED, KeptLossScales
from lossscale_codemods.rules.shared.kept_tensors import KeptTensors
from lossscale_codemods.vocabulary.names import WITH_LOSS_SCALE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.program import Program
    from lossscale_codemods.analysis.scanned_source import ScannedSource

_READS: tuple[type[ast.expr], ...] = (ast.Attribute, ast.Call)
_HEAD = (
    "import tensorflow as tf\n"
    "opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 'dynamic')\n"
)
_NEW_HEAD = "import tensorflow as tf\nopt = tf.keras.mixed_precision.LossScaleOptimizer(opt)\n"


class KeptScales(Rule):
    """Follows `opt.loss_scale` to its uses."""

    id = "LS311"
    title = "Loss scales that are kept for later"
    targets = WITH_LOSS_SCALE
    invalid = (
        Case(
            f"{_HEAD}scale = opt.loss_scale\ntrain(opt)\nprint(scale().numpy())\n",
            f"{_NEW_HEAD}train(opt)\nprint(opt.loss_scale.numpy())\n",
        ),
        Case(
            f"{_HEAD}scale = opt.loss_scale\ntrain(opt)\nprint(float(scale))\n",
            f"{_NEW_HEAD}train(opt)\nprint(float(opt.loss_scale))\n",
        ),
    )
    valid = (
        Case(
            f"{_HEAD}print(opt.loss_scale)\n",
            f"{_NEW_HEAD}print(opt.loss_scale)\n",
            review="prints as a tensor now",
        ),
        Case(
            f"{_HEAD}log(opt.loss_scale)\n",
            f"{_NEW_HEAD}log(opt.loss_scale)\n",
            review="code that is not followed here",
        ),
        Case(
            f"{_HEAD}def f(scale):\n    train(opt)\n    return scale()\nf(opt.loss_scale)\n",
            f"{_NEW_HEAD}def f(scale):\n    train(opt)\n    return scale()\nf(opt.loss_scale)\n",
            review="which is a tensor now",
        ),
        Case(f"{_NEW_HEAD}scale = opt.loss_scale\ntrain(opt)\nprint(scale)\n"),
        Case(
            f"{_NEW_HEAD}scale = opt.loss_scale\nprint(scale())\n",
            review="which is a tensor now",
        ),
    )

    def can_fire(self, source: ScannedSource) -> bool:
        """Whether a loss scale is read from something that can be an optimizer."""
        owners = (scanned_owner(n) for kind in _READS for n in source.nodes.of(kind))
        return any(
            source.names.has_old_name
            or source.names.has_new_class
            or source.can_be_optimizer(owner)
            for owner in owners
            if owner is not None
        )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields what can hold the loss scale of an optimizer and is not right as it is."""
        for node in (*KeptLossScales(program).places(), *KeptTensors(program).places()):
            yield Occurrence(node, program.tree.span(node), Role.DOUBTFUL, rule=self.id)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Respells it, or says why it is left."""
        node = occurrence.node
        if occurrence.rule != self.id or not isinstance(node, cst.BaseExpression):
            return None
        return KeptLossScales(program).verdict(node) or CALLED
