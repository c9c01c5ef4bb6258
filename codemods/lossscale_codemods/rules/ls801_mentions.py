# SPDX-License-Identifier: Apache-2.0
"""Old names in comments, docstrings and strings are listed, and never edited.

Prose can speak of an old version on purpose. A mention asks for nothing and does not change the
exit code; see LS802 for strings that are part of the program.
"""

from __future__ import annotations

from lossscale_codemods.rules.base import Case, Rule


class Mentions(Rule):
    """Comments and prose (see the module `mentions`)."""

    id = "LS801"
    title = "Comments and strings"
    not_handled = "Nothing is edited. What a mention says has to be judged by whoever wrote it."
    valid = (Case("# opt = tf.keras.mixed_precision.experimental.LossScaleOptimizer(opt, 'd')\n"),)
