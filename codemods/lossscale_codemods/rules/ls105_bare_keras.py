# SPDX-License-Identifier: Apache-2.0
"""Old names in the package `keras` are reported, because `keras` is Keras 3 today.

When these names were public, `keras` was Keras 2, and nearly the same as `tf.keras`. Today `keras`
is Keras 3, whatever TF_USE_LEGACY_KERAS says. Its LossScaleOptimizer has no `dynamic`, no
`loss_scale` and no `get_scaled_loss`, and accepts no optimizer of tf-keras. Keras 2 is now
`tf_keras`, and `tf.keras` with TF_USE_LEGACY_KERAS=1. `compat-lossscale run` restores the old names
there, and not in `keras`.
"""

from __future__ import annotations

from lossscale_codemods.analysis.occurrences import Occurrence
from lossscale_codemods.analysis.program import Program
from lossscale_codemods.rules.base import Case, Review, Rule, Verdict
from lossscale_codemods.vocabulary.names import WITH_KERAS_2


class BareKeras(Rule):
    """Reports old names in the package `keras`."""

    id = "LS105"
    title = "Old names in the package `keras`"
    order = -1
    shows_imports = True
    targets = WITH_KERAS_2
    valid = (
        Case(
            "import keras\nopt = keras.mixed_precision.experimental.LossScaleOptimizer(opt, 128)\n",
            review="`keras` is Keras 3 now",
        ),
        Case(
            "from keras.mixed_precision import experimental as mp\n"
            "mp.set_policy('mixed_float16')\n",
            review="`keras` is Keras 3 now",
        ),
    )

    def decide(self, occurrence: Occurrence, program: Program) -> Verdict | None:
        """Reports every name of this kind."""
        del program
        if not any(old.is_of_keras_3 for old in occurrence.names):
            return None
        return Review(
            "`keras` is Keras 3 now, whose mixed precision has another API than this name had",
            "Import keras from tensorflow, to run with TF_USE_LEGACY_KERAS=1, or import tf_keras "
            "in its place; then run again.",
        )
