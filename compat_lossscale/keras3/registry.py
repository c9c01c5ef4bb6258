# SPDX-License-Identifier: Apache-2.0
"""Keras 3's registry of custom objects: what old programs saved comes back as what they expect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import keras

from compat_lossscale._patching import Undo
from compat_lossscale.keras3.experimental import LossScaleOptimizer
from compat_lossscale.keras3.policies import Policy


class SavedPolicy:
    """Makes the policy that a saved config describes."""

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Any:
        """Makes a policy.

        Args:
            config: A policy's config of any generation.

        Returns:
            An experimental one if the config has a `loss_scale`, or if the policy has one by
            default; otherwise Keras' own.
        """
        if "loss_scale" in config or config.get("name") == "mixed_float16":
            return Policy.from_config(config)
        return keras.DTypePolicy.from_config(config)


_OPTIMIZERS = ("LossScaleOptimizer", "LossScaleOptimizerV1", "LossScaleOptimizerV3")
_SAVED: dict[str, Any] = {
    **dict.fromkeys(_OPTIMIZERS, LossScaleOptimizer),
    # Keras lowers the names of its own optimizers before it looks them up.
    **{name.lower(): LossScaleOptimizer for name in _OPTIMIZERS},
    **dict.fromkeys(("DTypePolicy", "Policy", "PolicyV1"), SavedPolicy),
}


def register(undo: Undo) -> None:
    """Registers the names under which optimizers and policies have been saved since TensorFlow 2.0.

    A saved optimizer then comes back as the experimental one, as up to TensorFlow 2.3.

    Args:
        undo: What takes them out again.
    """
    known = keras.saving.get_custom_objects()
    found = {name: known[name] for name in _SAVED if name in known}
    known.update(_SAVED)

    def put_back() -> None:
        for name in _SAVED:
            known.pop(name, None)
        known.update(found)

    undo.append(put_back)
