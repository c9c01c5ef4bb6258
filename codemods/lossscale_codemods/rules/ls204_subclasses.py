# SPDX-License-Identifier: Apache-2.0
"""A subclass of an old optimizer is never changed.

`super().__init__` has other parameters, and from TensorFlow 2.11 on the public class makes objects
of other classes, so that a subclass of it cannot be made at all.
"""

from __future__ import annotations

from lossscale_codemods.analysis.occurrences import Occurrence
from lossscale_codemods.analysis.program import Program, Usage
from lossscale_codemods.rules.base import Case, Review, Rule, Verdict
from lossscale_codemods.vocabulary.names import Meaning


class Subclasses(Rule):
    """Reports base classes."""

    id = "LS204"
    title = "Subclasses"
    valid = (
        Case(
            "import tensorflow as tf\n"
            "class Mine(tf.keras.mixed_precision.experimental.LossScaleOptimizer):\n"
            "    pass\n",
            review="a subclass",
        ),
    )

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reports every base class."""
        if occurrence.meaning in (Meaning.LOSS_SCALE, Meaning.DYNAMIC, Meaning.FIXED):
            return None
        if program.usage(occurrence) is not Usage.BASE_CLASS:
            return None
        return Review(
            "a subclass depends on the constructor and the private parts of the old class",
            "Wrap the optimizer instead of inheriting, or keep the class with `--target compat`.",
        )
