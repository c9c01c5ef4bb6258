# SPDX-License-Identifier: Apache-2.0
"""Keras' registry of custom objects: makes loading a saved optimizer give this package's classes.

The names under which loss-scale optimizers have been saved since TensorFlow 2.0 are registered when
the optimizers are first imported, as any package does with its Keras classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tf_keras

from compat_lossscale.optimizers import base, experimental, install_state

_SAVED_NAMES = ("LossScaleOptimizer", "LossScaleOptimizerV1", "LossScaleOptimizerV3")
# Keras lowers the names of its own optimizers before it looks them up.
_REGISTERED_NAMES = (*_SAVED_NAMES, *(name.lower() for name in _SAVED_NAMES))


class SavedLossScaleOptimizer:
    """Makes the optimizer that a saved config describes."""

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None
    ) -> base.LossScaleOptimizer:
        """Makes an optimizer of the class that wrote the config.

        Args:
            config: A loss-scale optimizer's config of any generation.
            custom_objects: Classes by the names under which the config has them.

        Returns:
            An experimental one for the form of TensorFlow 2.0 to 2.3, which has a `loss_scale`,
            and for any form while the old names are installed; otherwise a non-experimental one.
        """
        has_loss_scale = isinstance(config.get("loss_scale"), Mapping)
        is_experimental = install_state.old_names_are_installed or has_loss_scale
        wrapper = experimental.LossScaleOptimizer if is_experimental else base.LossScaleOptimizer
        return wrapper.from_config(config, custom_objects=custom_objects)


def register() -> None:
    """Registers the names under which loss-scale optimizers are saved."""
    for name in _REGISTERED_NAMES:
        tf_keras.utils.get_custom_objects()[name] = SavedLossScaleOptimizer


def unregister() -> None:
    """Takes them out again."""
    for name in _REGISTERED_NAMES:
        tf_keras.utils.get_custom_objects().pop(name, None)
