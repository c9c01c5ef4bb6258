# SPDX-License-Identifier: Apache-2.0
"""A subclass of an old Keras optimizer is reported. One of the v1 optimizer is rewritten.

The parameters of `super().__init__` changed, and since TensorFlow 2.11 the public class creates
objects of other classes, so a subclass of it cannot be created. The v1 optimizer still exists under
another name. A class that inherits from it means the same, unless it overrides private methods.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.analysis.program import Program, Usage
from lossscale_codemods.rules.base import Case, Review, Rule, Verdict, rename
from lossscale_codemods.rules.ls206_derived_classes import derives_from_today
from lossscale_codemods.rules.shared.v1_subclasses import means_the_same
from lossscale_codemods.vocabulary.names import Meaning

if TYPE_CHECKING:
    from lossscale_codemods.analysis.occurrences import Occurrence


class Subclasses(Rule):
    """Decides on base classes."""

    id = "LS204"
    title = "Subclasses"
    invalid = (
        Case(
            "import tensorflow as tf\n"
            "class Mine(tf.train.experimental.MixedPrecisionLossScaleOptimizer):\n"
            "    @property\n"
            "    def loss_scale(self):\n"
            "        return self._loss_scale\n",
            "import tensorflow as tf\n"
            "class Mine(tf.compat.v1.mixed_precision.MixedPrecisionLossScaleOptimizer):\n"
            "    @property\n"
            "    def loss_scale(self):\n"
            "        return self._loss_scale\n",
        ),
    )
    valid = (
        Case(
            "import tensorflow as tf\n"
            "class Mine(tf.train.experimental.MixedPrecisionLossScaleOptimizer):\n"
            "    def _scale_loss(self, loss):\n"
            "        return 2 * super()._scale_loss(loss)\n",
            review="a subclass",
        ),
        Case(
            "import tensorflow as tf\n"
            "class Mine(tf.keras.mixed_precision.experimental.LossScaleOptimizer):\n"
            "    pass\n",
            review="a subclass",
        ),
    )

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reports base classes, and renames the v1 optimizer."""
        if occurrence.meaning in (Meaning.LOSS_SCALE, Meaning.DYNAMIC, Meaning.FIXED):
            return None
        if program.usage(occurrence) is not Usage.BASE_CLASS:
            return None
        if occurrence.meaning is Meaning.V1_OPTIMIZER and means_the_same(occurrence, program):
            return rename("the class that is still there under compat.v1", occurrence)
        if derives_from_today(occurrence, program):
            return None
        return Review(
            "a subclass depends on the constructor and the private parts of the old class",
            "Wrap the optimizer instead of inheriting, or keep the class with `--target compat`.",
        )
