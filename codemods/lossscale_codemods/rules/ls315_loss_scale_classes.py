# SPDX-License-Identifier: Apache-2.0
"""A test for a loss scale's class is reported if the class has its current name.

The classes of loss scales still exist, as `tf.compat.v1.mixed_precision.DynamicLossScale`. But
since TensorFlow 2.4 the loss scale of an optimizer is a tensor, so such a test is never true:
https://github.com/tensorflow/tensorflow/releases/tag/v2.4.0. The name is a current one, so a
program can have the test before the migration and after it.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from lossscale_codemods.analysis.loss_scale_owners import ATTRIBUTES
from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.rules.base import Case, Review, Rule, Verdict
from lossscale_codemods.rules.shared.class_tests import ClassTests
from lossscale_codemods.vocabulary.names import WITH_LOSS_SCALE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossscale_codemods.analysis.program import Program
    from lossscale_codemods.analysis.scanned_source import ScannedSource

_HEAD = (
    "import tensorflow as tf\n"
    "opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 'dynamic')\n"
)
_NEW_HEAD = "import tensorflow as tf\nopt = tf.keras.mixed_precision.LossScaleOptimizer(opt)\n"
_DYNAMIC = "tf.compat.v1.mixed_precision.DynamicLossScale"
_TEST = f"moves = isinstance(opt.loss_scale, {_DYNAMIC})\n"
_COMPARISON = f"moves = type(opt.loss_scale) is {_DYNAMIC}\n"
_NEVER = Review(
    "the loss scale of an optimizer is a tensor now, and of no such class",
    "Ask the optimizer instead: `optimizer.dynamic`.",
)


class LossScaleClasses(Rule):
    """Reports tests that no loss scale of an optimizer passes any more."""

    id = "LS315"
    title = "Tests for classes of loss scales that still exist"
    targets = WITH_LOSS_SCALE
    valid = (
        Case(_HEAD + _TEST, _NEW_HEAD + _TEST, review="of no such class"),
        Case(_NEW_HEAD + _COMPARISON, review="of no such class"),
        Case(f"{_NEW_HEAD}print(type(opt.loss_scale).__name__)\n"),
    )

    def can_fire(self, source: ScannedSource) -> bool:
        """Whether a loss scale is read where a loss scale's class is named, or is in a string."""
        if "LossScale" not in source.text:
            return False
        if not (source.names.has_new_class or source.names.has_old_name):
            return False
        return any(node.attr in ATTRIBUTES for node in source.nodes.of(ast.Attribute)) or any(
            node.value in ATTRIBUTES for node in source.nodes.of(ast.Constant)
        )

    def find(self, program: Program) -> Iterator[Occurrence]:
        """Yields the tests."""
        if b"LossScale" in program.tree.text and program.has_optimizers:
            for node in ClassTests(program).failing():
                yield Occurrence(node, program.tree.span(node), Role.DOUBTFUL, rule=self.id)

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reports them."""
        del program
        return _NEVER if occurrence.rule == self.id else None
