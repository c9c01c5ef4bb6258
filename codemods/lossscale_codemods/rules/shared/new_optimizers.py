# SPDX-License-Identifier: Apache-2.0
"""TensorFlow 2.4's LossScaleOptimizer where programs are migrated to Keras 3: an old name too."""

from __future__ import annotations

from lossscale_codemods.vocabulary import frameworks
from lossscale_codemods.vocabulary.names import (
    KERAS_3_HOME,
    Meaning,
    OldName,
    Target,
    loss_scale_optimizers,
)


def is_moved(path: str) -> bool:
    """Whether a path is that of TensorFlow 2.4's class, in Keras as it was."""
    is_left = path.startswith((KERAS_3_HOME, "tf_keras."))
    return frameworks.is_new_optimizer(path) and not is_left


def old_name(path: str, target: Target) -> OldName:
    """Returns the old name that this is.

    Args:
        path: Its path.
        target: What the program is migrated to.
    """
    return OldName(path, Meaning.NEW_OPTIMIZER, loss_scale_optimizers(target, path))
