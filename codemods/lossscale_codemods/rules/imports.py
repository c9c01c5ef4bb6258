# SPDX-License-Identifier: Apache-2.0
"""Imports of old names import the new ones, under the name that the file already uses.

TensorFlow 2.4 moved the Keras mixed precision API out of `experimental`:
https://github.com/tensorflow/tensorflow/releases/tag/v2.4.0. The local name stays, so nothing else
in the file has to change. The rule removes the import of a name that is no longer used. An import
that some use still needs stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossscale_codemods.rules.base import (
    Case,
    ImportState,
    Review,
    Rewrite,
    Rule,
    Suppressed,
    Verdict,
)
from lossscale_codemods.tables.names import Target

if TYPE_CHECKING:
    from lossscale_codemods.domain import Occurrence


class Imports(Rule):
    """Imports, decided once every use of what they bring in is."""

    id = "LS101"
    title = "Imports"
    targets = frozenset(Target)
    decides_imports = True
    invalid = (
        Case(
            "from tensorflow.keras.mixed_precision import experimental as prec\n"
            "prec.set_policy('mixed_float16')\n",
            "from tensorflow.keras import mixed_precision as prec\n"
            "prec.set_global_policy('mixed_float16')\n",
        ),
        Case(
            "from tensorflow.keras.mixed_precision import experimental as mixed_precision\n"
            "print(mixed_precision.global_policy().name)\n",
            "from tensorflow.keras import mixed_precision\n"
            "print(mixed_precision.global_policy().name)\n",
        ),
        Case(
            "from tensorflow.keras.mixed_precision.experimental import Policy, set_policy\n"
            "set_policy(Policy('mixed_float16'))\n",
            "from tensorflow.keras.mixed_precision import Policy, set_global_policy as set_policy\n"
            "set_policy(Policy('mixed_float16'))\n",
        ),
        Case(
            "import tensorflow.keras.mixed_precision.experimental as mp\n"
            "mp.set_policy('mixed_float16')\n",
            "import tensorflow.keras.mixed_precision as mp\n"
            "mp.set_global_policy('mixed_float16')\n",
        ),
    )
    valid = (
        Case(
            "from tensorflow.keras.mixed_precision.experimental import *\nprint(1)\n",
            review="which names it brings in cannot be seen here",
        ),
        Case(
            "from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer\n"
            "class Mine(LossScaleOptimizer):\n"
            "    pass\n",
            review="the import stays as it is: line 2 still needs it",
        ),
    )

    def decide_import(self, occurrence: Occurrence, state: ImportState) -> Verdict | None:
        """Says which name is imported now, or why the old one still is."""
        if state.follows_module:
            return _done("imports the module that the names are in today")
        reason = state.reason
        for binding in state.bindings:
            if binding.moved:
                return _done("imports the name that means the same today")
            if binding.dropped:
                return _done("is no longer imported, because nothing uses it")
            reason = reason or binding.kept
            if binding.only_suppressed:
                return Suppressed()
            if binding.star:
                reason = reason or "which names it brings in cannot be seen here"
        if reason is None and not occurrence.names[0].new:
            reason = f"{occurrence.names[0].path} has no equivalent"
        is_star = any(binding.star for binding in state.bindings)
        return Review(
            f"the import stays as it is: {reason or 'the names under it are still used'}",
            "Import the names that are still needed from where they are today."
            if is_star
            else "Change those uses first, then run again.",
            follows=state.follows,
        )


def _done(message: str) -> Rewrite:
    """Returns the verdict; the edits are made where imports are put together."""
    return Rewrite(message, lambda _: [])
