# SPDX-License-Identifier: Apache-2.0
"""The experimental API of TensorFlow 1.14 to 2.4 around Keras 3. On TensorFlow only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import keras

from compat_lossscale import tf1
from compat_lossscale.keras3 import tensorflow_2_4
from compat_lossscale.keras3.optimizer import LossScaleOptimizer as Keras3LossScaleOptimizer
from compat_lossscale.keras3.tensorflow_2_4 import configs
from compat_lossscale.members.optimizer import ExperimentalMembers


class LossScaleOptimizer(ExperimentalMembers, tensorflow_2_4.LossScaleOptimizer):
    """The LossScaleOptimizer whose loss scale is one argument, around optimizers of Keras 3.

    It differs from TensorFlow 2.4's in its constructor and in `loss_scale`, which is the live
    LossScale object: it can be called, as up to TensorFlow 2.3, and it is a float32 scalar tensor,
    as in 2.4. Multipliers other than 2 and users' own LossScale classes work, as up to 2.3.

    Source: `tf.keras.mixed_precision.experimental.LossScaleOptimizer` of TensorFlow 1.14 to 2.4.

    Args:
        optimizer: The optimizer to wrap, of `keras.optimizers`. `opt=` is understood too.
        loss_scale: `"dynamic"`, a Python int or float for a fixed scale, a LossScale, whose state
            is then shared with the caller, or a LossScale's `{"class_name", "config"}`.
        rule: The rule by which a `"dynamic"` scale moves. TensorFlow has no such argument.

    Raises:
        ValueError: An argument is not of these kinds, or the optimizer is wrapped already. The
            error is a `TypeError` too where TensorFlow 2.4 raised one.
    """

    __module__ = "keras.optimizers"
    _home = f"{__name__}:LossScaleOptimizer"


class SavedKeras3Optimizer:
    """Makes the optimizer that a saved config describes."""

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Keras3LossScaleOptimizer:
        """Makes an optimizer of the class that wrote the config.

        Args:
            config: The config of a loss-scale optimizer of this package or of Keras 3.

        Returns:
            An experimental one for the form of TensorFlow 2.0 to 2.3, which states users' own loss
            scales and other multipliers than 2; otherwise one of Keras 3.
        """
        if isinstance(config.get("loss_scale"), Mapping):
            return LossScaleOptimizer.from_config(config)
        return Keras3LossScaleOptimizer.from_config(config)


keras.saving.get_custom_objects()[LossScaleOptimizer.__name__] = SavedKeras3Optimizer

tf1.KERASES.append(
    tf1.RewritableKeras(
        (keras.optimizers.Optimizer,),
        (keras.optimizers.LossScaleOptimizer,),
        LossScaleOptimizer,
        configs,
        keras.config.dtype_policy,
    )
)
