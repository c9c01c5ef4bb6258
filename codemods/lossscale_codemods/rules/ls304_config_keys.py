# SPDX-License-Identifier: Apache-2.0
"""Reads of changed keys in `get_config()` of a loss-scale optimizer are reported.

Up to TensorFlow 2.3, the keys were `optimizer` and `loss_scale`. Since TensorFlow 2.4, they are
`inner_optimizer`, `dynamic`, `initial_scale` and `dynamic_growth_steps`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.approximate_names import last_word
from lossscale_codemods.analysis.libcst_on_demand import cst
from lossscale_codemods.rules.base import Case, Review, Rule, Verdict
from lossscale_codemods.rules.shared.attribute_reads import attributes, occurrence_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.occurrences import Occurrence
    from lossscale_codemods.analysis.program import Program
    from lossscale_codemods.analysis.scanned_source import ScannedSource


class ConfigKeys(Rule):
    """Reports keys that are gone."""

    id = "LS304"
    title = "Keys of the optimizer's config"
    valid = (
        Case(
            "import tensorflow as tf\n"
            "opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 'dynamic')\n"
            "print(opt.get_config()['loss_scale'])\n",
            "import tensorflow as tf\n"
            "opt = tf.keras.mixed_precision.LossScaleOptimizer(opt)\n"
            "print(opt.get_config()['loss_scale'])\n",
            review="is no key of the new config",
        ),
    )

    def can_fire(self, source: ScannedSource) -> bool:
        """Whether a key of a config is read, and there is an optimizer that it can be of."""
        reads = any(
            isinstance(node.value, ast.Call) and last_word(node.value.func) == "get_config"
            for node in source.nodes.of(ast.Subscript)
        )
        return reads and source.names.has_optimizer

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields `x.get_config()["..."]` of proven loss-scale optimizers."""
        for node in attributes(program, "get_config"):
            is_old = self._key(node, program) in {"optimizer", "loss_scale"}
            if is_old and program.types.is_wrapper(node.value):
                yield occurrence_at(program, node, self.id)

    @staticmethod
    def _key(node: cst.CSTNode, program: Program) -> str | None:
        call = program.tree.parent(node)
        subscript = program.tree.parent(call) if call is not None else None
        if not isinstance(subscript, cst.Subscript) or subscript.value is not call:
            return None
        index = subscript.slice[0].slice
        if isinstance(index, cst.Index) and isinstance(index.value, cst.SimpleString):
            return str(index.value.evaluated_value)
        return None

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reports the key."""
        if occurrence.rule != self.id:
            return None
        key = self._key(occurrence.node, program)
        return Review(
            f"{key!r} is no key of the new config",
            "Its keys are inner_optimizer, dynamic, initial_scale and dynamic_growth_steps.",
        )
