# SPDX-License-Identifier: Apache-2.0
"""`opt._optimizer` of a loss-scale optimizer becomes the public `opt.inner_optimizer`.

The attribute was private, and `inner_optimizer` is public since TensorFlow 2.4. Most `_optimizer`
attributes belong to other classes, so the rule changes proven loss-scale optimizers only. For
Keras 3, which has no such name, it reports others, with an unsafe fix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.what_is import can_be_optimizer, loss_scale_optimizer
from lossscale_codemods.rules.base import Case, Review, Rule, Verdict
from lossscale_codemods.rules.shared.attribute_reads import (
    attributes,
    occurrence_at,
    replace,
    rewrite,
)
from lossscale_codemods.vocabulary.names import WITH_KERAS_3

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.occurrences import Occurrence
    from lossscale_codemods.analysis.program import Program


class InnerOptimizer(Rule):
    """Respells the wrapped optimizer."""

    id = "LS302"
    title = "The wrapped optimizer"
    not_handled = (
        "`_optimizer` of an object that is not proven to be a loss-scale optimizer: tf-keras has "
        "the name too, so it gets a finding for Keras 3 alone."
    )
    invalid = (
        Case(
            "import tensorflow as tf\n"
            "def lr(opt):\n"
            "    if isinstance(opt, tf.keras.mixed_precision.experimental.LossScaleOptimizer):\n"
            "        opt = opt._optimizer\n"
            "    return opt.lr\n",
            "import tensorflow as tf\n"
            "def lr(opt):\n"
            "    if isinstance(opt, tf.keras.mixed_precision.LossScaleOptimizer):\n"
            "        opt = opt.inner_optimizer\n"
            "    return opt.lr\n",
        ),
    )
    valid = (
        Case(
            "import tensorflow as tf  # LossScale\n"
            "class Trainer:\n"
            "    def lr(self):\n"
            "        return self._optimizer.lr\n"
        ),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields `x._optimizer` of what is, or can be, a loss-scale optimizer."""
        for node in attributes(program, "_optimizer"):
            is_self = program.resolver.class_of(node.value) is not None
            is_gone = program.target in WITH_KERAS_3 and not is_self
            can_be = is_gone and can_be_optimizer(node.value, program)
            if can_be or loss_scale_optimizer(node.value, program).is_sure:
                yield occurrence_at(program, node, self.id)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Respells it."""
        node = occurrence.node
        if occurrence.rule != self.id or not isinstance(node, cst.Attribute):
            return None
        respelled = rewrite(
            "the public name of the wrapped optimizer",
            replace(program, node, node.value, ".inner_optimizer"),
        )
        answer = loss_scale_optimizer(node.value, program)
        if answer.is_sure:
            return respelled
        return Review(
            answer.reason, "If it is one, write `.inner_optimizer`.", unsafe_fix=respelled
        )
