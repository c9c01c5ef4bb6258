# SPDX-License-Identifier: Apache-2.0
"""Branches for old versions are left as they are, and reported as collapsible.

Code that tests the version, catches ImportError, or asks hasattr before it uses an old name already
works on both sides of TensorFlow 2.4. `--collapse-guards` takes the old branches out.
"""

from __future__ import annotations

from lossscale_codemods.rules.base import Case, Rule


class Guards(Rule):
    """Guards, recognised before any other rule is asked (see the module `guards`)."""

    id = "LS701"
    title = "Branches for old versions"
    valid = (
        Case(
            "import tensorflow as tf\n"
            "if tf.__version__ >= '2.4':\n"
            "    tf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
            "else:\n"
            "    tf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n",
            review="can be collapsed",
        ),
        Case(
            "try:\n"
            "    from tensorflow.keras.mixed_precision import LossScaleOptimizer\n"
            "except ImportError:\n"
            "    from tensorflow.keras.mixed_precision.experimental import LossScaleOptimizer\n",
            review="can be collapsed",
        ),
    )
