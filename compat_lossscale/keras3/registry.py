# SPDX-License-Identifier: Apache-2.0
"""What old programs saved comes back as what they expect, by Keras 3's registry of custom objects.

What Keras reads without asking the registry is patched: a layer's policy, and a policy's config.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import keras

from compat_lossscale._patching import Undo, around, set_attribute
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
        if _LOSS_SCALE in config or config.get("name") == "mixed_float16":
            return Policy.from_config(config)
        return keras.DTypePolicy.from_config(config)


_OPTIMIZERS = ("LossScaleOptimizer", "LossScaleOptimizerV1", "LossScaleOptimizerV3")
_POLICIES = ("DTypePolicy", "Policy", "PolicyV1")
_LOSS_SCALE = "loss_scale"
_SAVED: dict[str, Any] = {
    **dict.fromkeys(_OPTIMIZERS, LossScaleOptimizer),
    # Keras lowers the names of its own optimizers before it looks them up.
    **{name.lower(): LossScaleOptimizer for name in _OPTIMIZERS},
    **dict.fromkeys(_POLICIES, SavedPolicy),
}


def register(undo: Undo) -> None:
    """Registers the names under which optimizers and policies have been saved since TensorFlow 2.0.

    A saved optimizer then comes back as the experimental one, as up to TensorFlow 2.3.

    Args:
        undo: What takes them out again.
    """
    known = keras.saving.get_custom_objects()
    before = {name: known[name] for name in _SAVED if name in known}
    known.update(_SAVED)

    def put_back() -> None:
        for name in _SAVED:
            known.pop(name, None)
        known.update(before)

    undo.append(put_back)
    get_config = around(keras.layers.Layer.get_config, _layer_config)
    set_attribute(keras.layers.Layer, "get_config", get_config, undo)
    _patch_from_config(keras.layers.Layer, _layer_from_config, undo)
    _patch_from_config(keras.DTypePolicy, _policy_from_config, undo)


def _layer_config(original: Any, layer: Any) -> Any:
    """States a policy's loss scale beside its config. Keras 3 alone refuses it inside."""
    config = original(layer)
    if isinstance(layer.dtype_policy, Policy) and isinstance(config.get("dtype"), dict):
        stated = {**config["dtype"], "config": dict(config["dtype"]["config"])}
        if _LOSS_SCALE in stated["config"]:
            stated[_LOSS_SCALE] = stated["config"].pop(_LOSS_SCALE)
        config["dtype"] = stated
    return config


def _layer_from_config(original: Any, cls: type, config: Mapping[str, Any], **kwargs: Any) -> Any:
    """Makes a layer. Keras makes its policy from the name alone."""
    stated = config.get("dtype")
    if isinstance(stated, Mapping) and stated.get("class_name") in _POLICIES:
        beside = {name: stated[name] for name in (_LOSS_SCALE,) if name in stated}
        policy = SavedPolicy.from_config({**stated["config"], **beside})
        if isinstance(policy, Policy):
            config = {**config, "dtype": policy}
    return original(cls, config, **kwargs)


def _policy_from_config(original: Any, cls: type, config: Mapping[str, Any]) -> Any:
    """Makes a policy that has no loss scale, as TensorFlow 2.4 did, of a config that states one."""
    return original(cls, {key: value for key, value in config.items() if key != _LOSS_SCALE})


def _patch_from_config(cls: type, replacement: Any, undo: Undo) -> None:
    owner = next(base for base in cls.__mro__ if "from_config" in vars(base))
    original = vars(owner)["from_config"].__func__
    set_attribute(owner, "from_config", classmethod(around(original, replacement)), undo)
