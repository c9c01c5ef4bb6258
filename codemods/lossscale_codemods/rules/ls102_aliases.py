# SPDX-License-Identifier: Apache-2.0
"""An assigned alias gets the new name: `mp = tf.keras.mixed_precision.experimental`.

The rule changes the right-hand side of the assignment and keeps the alias. It follows every use of
the alias, in its scope and through `self`. If one use cannot change, the alias and all of its uses
stay. LS101 does the same for imports.
"""

from __future__ import annotations

from lossscale_codemods.analysis.occurrences import Occurrence, Role
from lossscale_codemods.analysis.program import Program, Usage
from lossscale_codemods.rules.base import Case, Rule, Verdict, rename


class Aliases(Rule):
    """Follows assignments of old names to other names."""

    id = "LS102"
    title = "Assigned aliases"
    shows_imports = True
    invalid = (
        Case(
            "import tensorflow as tf\n"
            "mp = tf.keras.mixed_precision.experimental\n"
            "mp.set_policy('mixed_float16')\n",
            "import tensorflow as tf\n"
            "mp = tf.keras.mixed_precision\n"
            "mp.set_global_policy('mixed_float16')\n",
        ),
        Case(
            "import tensorflow as tf\n\n"
            "class Trainer:\n"
            "    def __init__(self):\n"
            "        self._mp = tf.keras.mixed_precision.experimental\n\n"
            "    def wrap(self, opt):\n"
            "        return self._mp.LossScaleOptimizer(opt, 'dynamic')\n",
            "import tensorflow as tf\n\n"
            "class Trainer:\n"
            "    def __init__(self):\n"
            "        self._mp = tf.keras.mixed_precision\n\n"
            "    def wrap(self, opt):\n"
            "        return self._mp.LossScaleOptimizer(opt)\n",
        ),
    )
    valid = (
        Case(
            "import tensorflow as tf\nmp = tf.keras.mixed_precision.experimental\nconfigure(mp)\n",
            review="must stay what it is",
        ),
    )

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Renames what an alias stands for; whether the alias can move is decided with its uses."""
        if occurrence.role is Role.REFERENCE and program.usage(occurrence) is Usage.ALIAS:
            return rename("the alias stands for the new name", occurrence)
        return None
