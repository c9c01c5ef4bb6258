# SPDX-License-Identifier: Apache-2.0
"""With `--target compat`, names of the old API become the same names in compat_lossscale.

Use this target for programs that need what the current API cannot express: a multiplier other than
2, a LossScale subclass of your own, or a policy with a fixed loss scale. Only names change. The
arguments, the classes and their behavior stay those of TensorFlow 2.0 to 2.3.
"""

from __future__ import annotations

from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.program import Program, Usage
from lossscale_codemods.rules.base import Case, Review, Rule, Verdict, rename
from lossscale_codemods.vocabulary.names import Meaning, Target


class CompatNames(Rule):
    """Respells every old name."""

    id = "LS001"
    title = "Old names with `--target compat`"
    shows_imports = True
    targets = frozenset([Target.COMPAT])
    invalid = (
        Case(
            "from tensorflow.keras.mixed_precision import experimental as mp\n"
            "opt = mp.LossScaleOptimizer(opt, 'dynamic')\n",
            "from compat_lossscale import experimental as mp\n"
            "opt = mp.LossScaleOptimizer(opt, 'dynamic')\n",
        ),
        Case(
            "import tensorflow as tf\n"
            "scale = tf.mixed_precision.experimental.DynamicLossScale(multiplier=4)\n",
            "import compat_lossscale\nscale = compat_lossscale.v1.DynamicLossScale(multiplier=4)\n",
        ),
    )
    valid = (
        Case(
            "import tensorflow as tf\n"
            "manager = tf.contrib.mixed_precision.FixedLossScaleManager(5000)\n",
            review="compat_lossscale does not have",
        ),
    )

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Respells what compat_lossscale has."""
        if occurrence.role is Role.UNRESOLVED or not occurrence.names:
            return None
        if not all(old.new_paths(program.target) for old in occurrence.names):
            return Review(
                "compat_lossscale does not have this name",
                "Move to tf.compat.v1.mixed_precision, or to the non-experimental Keras API.",
            )
        if occurrence.meaning is Meaning.MODULE and program.usage(occurrence) is Usage.MEMBER:
            return Review(
                "compat_lossscale does not have what is taken from this module",
                "Take it from where it is public, or do without it.",
            )
        return rename("the same name in compat_lossscale", occurrence)
