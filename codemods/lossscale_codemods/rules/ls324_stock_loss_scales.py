# SPDX-License-Identifier: Apache-2.0
"""Reads of the loss scale are reported with `--target keras3 --no-dependency`.

Keras 3's own LossScaleOptimizer has no `loss_scale`, `dynamic` or `dynamic_counter`. Its variables
`dynamic_scale` and `step_counter` exist only after the first step, which builds the optimizer.
Before that, `initial_scale` is the loss scale. Only the running program knows which of the two a
read needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.analysis.loss_scale_owners import ATTRIBUTES, attribute_owner
from lossscale_codemods.analysis.what_is import can_be_optimizer, looks_like_optimizer
from lossscale_codemods.rules.base import Case, Review, Rule, Verdict
from lossscale_codemods.rules.markers import OLD_NAMES, Marker
from lossscale_codemods.rules.shared.attribute_reads import attributes
from lossscale_codemods.rules.shared.keras_3_places import Places, is_written_for_keras_3
from lossscale_codemods.vocabulary.names import Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.occurrences import Occurrence
    from lossscale_codemods.analysis.program import Program

_OF_WRAPPERS = ("dynamic", "dynamic_counter")
_HEAD = (
    "import tensorflow as tf\n"
    "opt = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1))\n"
)
_ADVICE = (
    "Read `dynamic_scale` and `step_counter` once the optimizer is built, and `initial_scale` "
    "before; or do without --no-dependency."
)


class StockLossScales(Rule):
    """Reports what Keras 3's own class does not have."""

    id = "LS324"
    title = "The loss scale of Keras 3's own optimizer"
    targets = frozenset([Target.KERAS3_ALONE])
    markers = (*OLD_NAMES, Marker(b"loss_scale"))
    valid = (
        Case(f"{_HEAD}print(opt.loss_scale)\n", review="has no loss_scale"),
        Case(f"{_HEAD}print(getattr(opt, 'loss_scale'))\n", review="has no loss_scale"),
        Case(f"{_HEAD}print(opt.dynamic_counter)\n", review="has no dynamic_counter"),
        Case(
            f"{_HEAD}def log(optimizer):\n    print(optimizer.loss_scale())\n",
            review="if this is a loss-scale optimizer",
        ),
        Case("import tensorflow as tf\nprint(args.loss_scale)\n"),
    )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields reads of what is, or may be, a loss-scale optimizer."""
        if is_written_for_keras_3(program):
            return
        places = Places(program, self.id)
        for node in program.tree.parents:
            owner = attribute_owner(node, program.resolver)
            if owner is None or not self._is_found(owner, program):
                continue
            if not places.is_for_old(node):
                yield places.occurrence(node)
        for node in attributes(program, *_OF_WRAPPERS):
            if program.types.is_wrapper(node.value) and not places.is_for_old(node):
                yield places.occurrence(node)

    @staticmethod
    def _is_found(owner: cst.BaseExpression, program: Program) -> bool:
        if program.types.is_wrapper(owner):
            return True
        return looks_like_optimizer(owner) and can_be_optimizer(owner, program)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Says what there is in its place."""
        if occurrence.rule != self.id:
            return None
        node = occurrence.node
        owner = attribute_owner(node, program.resolver)
        name = ATTRIBUTES[0]
        if owner is None and isinstance(node, cst.Attribute):
            name = node.attr.value
        if owner is not None and not program.types.is_wrapper(owner):
            return Review(
                "Keras 3's own LossScaleOptimizer has no loss_scale, if this is a loss-scale "
                "optimizer",
                _ADVICE,
            )
        return Review(f"Keras 3's own LossScaleOptimizer has no {name}", _ADVICE)
