# SPDX-License-Identifier: Apache-2.0
"""A string that is nothing but an old name is part of the program, and is reported.

`mock.patch("tensorflow.keras.mixed_precision.experimental.set_policy")` and
`type(opt).__name__ == "LossScaleOptimizer"` stop working with the new names.
"""

from __future__ import annotations

from lossscale_codemods.rules.base import Case, Rule


class Strings(Rule):
    """Strings that code works with (see the module `strings`)."""

    id = "LS802"
    title = "Strings that are old names"
    valid = (
        Case(
            "mock.patch('tensorflow.keras.mixed_precision.experimental.set_policy')\n",
            review="the path of an old name",
        ),
        Case(
            "ok = type(opt).__name__ == 'LossScaleOptimizer'\n",
            review="another name now",
        ),
    )
