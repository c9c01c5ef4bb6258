# SPDX-License-Identifier: Apache-2.0
"""The v1 wrapper gets its current name, `tf.compat.v1.mixed_precision.*`.

It wraps v1 optimizers only, and the Keras class refuses these, so it cannot become the Keras class.
`disable_mixed_precision_graph_rewrite` gets its current name too.
"""

from __future__ import annotations

from lossscale_codemods.analysis.occurrences import Occurrence
from lossscale_codemods.analysis.program import Program, Usage
from lossscale_codemods.rules.base import Case, Rule, Verdict, rename
from lossscale_codemods.vocabulary.names import Meaning

_HEAD = "import tensorflow as tf\n"


class V1Names(Rule):
    """Respells the v1 names."""

    id = "LS601"
    title = "Names of the v1 API"
    explains = frozenset({Meaning.V1_OPTIMIZER, Meaning.REWRITE_OFF})
    not_handled = (
        "Base classes (LS204), names that are passed on (LS205) and attributes of the class."
    )
    invalid = (
        Case(
            f"{_HEAD}opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(opt, 64)\n",
            f"{_HEAD}opt = tf.compat.v1.mixed_precision.MixedPrecisionLossScaleOptimizer"
            "(opt, 64)\n",
        ),
        Case(
            "import tensorflow.compat.v1 as tf\n"
            "tf.train.experimental.disable_mixed_precision_graph_rewrite()\n",
            "import tensorflow.compat.v1 as tf\n"
            "tf.mixed_precision.disable_mixed_precision_graph_rewrite()\n",
        ),
    )
    valid = (
        Case(
            f"{_HEAD}opt = tf.compat.v1.mixed_precision.MixedPrecisionLossScaleOptimizer(opt, 8)\n"
        ),
    )

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Respells what is no base class."""
        if occurrence.meaning not in (Meaning.V1_OPTIMIZER, Meaning.REWRITE_OFF):
            return None
        if program.usage(occurrence) in (Usage.BASE_CLASS, Usage.MEMBER):
            return None
        return rename("the name that is still there under compat.v1", occurrence)
