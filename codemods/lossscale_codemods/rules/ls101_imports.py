# SPDX-License-Identifier: Apache-2.0
"""Imports of old names import the new ones, under the name that the file already uses.

https://github.com/tensorflow/tensorflow/releases/tag/v2.4.0 moved the Keras mixed precision API out
of `experimental`. The local name stays, so nothing else in the file has to change for it. A name
that is no longer used is no longer imported; an import that some use still needs stays.
"""

from __future__ import annotations

from lossscale_codemods.rules.base import Case, Rule


class Imports(Rule):
    """Imports, decided together with the uses of what they import (see the module `plan`)."""

    id = "LS101"
    title = "Imports"
    invalid = (
        Case(
            "from tensorflow.keras.mixed_precision import experimental as prec\n"
            "prec.set_policy('mixed_float16')\n",
            "from tensorflow.keras import mixed_precision as prec\n"
            "prec.set_global_policy('mixed_float16')\n",
        ),
        Case(
            "from tensorflow.keras.mixed_precision import experimental as mixed_precision\n"
            "print(mixed_precision.global_policy())\n",
            "from tensorflow.keras import mixed_precision\n"
            "print(mixed_precision.global_policy())\n",
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
        Case(
            "from tensorflow.keras.mixed_precision.experimental import *\n"
            "set_policy('mixed_float16')\n",
            "from tensorflow.keras.mixed_precision import set_global_policy as set_policy\n"
            "set_policy('mixed_float16')\n",
        ),
    )
    valid = (
        Case(
            "from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer\n"
            "class Mine(LossScaleOptimizer):\n"
            "    pass\n",
            review="the import stays as it is: line 2 still needs it",
        ),
    )
