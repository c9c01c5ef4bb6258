# SPDX-License-Identifier: Apache-2.0
"""Gives loaded layers the policies that their configs state, including loss scales."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import tf_keras

from compat_lossscale import _patching
from compat_lossscale.optimizers import install_state, stock
from compat_lossscale.policies.policy import Policy, layer_patches


def deserialize(config: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """Creates a policy from the `dtype` in a layer's config (private in TensorFlow).

    Args:
        config: `{"class_name", "config"}`, the name of a dtype, or `None`.
        custom_objects: Custom classes by name.

    Returns:
        A policy, which has a loss scale if the config states one.
    """
    return stock.policy_from_config(config, custom_objects)


def _deserialize(original: Callable[..., Any], config: Any, custom_objects: Any = None) -> Any:
    """Creates the policy of a layer's config, which may have a loss scale."""
    if isinstance(config, Mapping) and config.get("class_name") in _SAVED_NAMES:
        stated = config.get("config")
        if isinstance(stated, Mapping) and _has_a_loss_scale(stated):
            return Policy.from_config(dict(stated), custom_objects)
    return original(config, custom_objects)


def _has_a_loss_scale(config: Mapping[str, Any]) -> bool:
    return "loss_scale" in config or install_state.old_names_are_installed


def _is_a_dtype(original: Callable[[Any], bool], policy: Any) -> bool:
    """Whether a layer's config states its policy as the name of a dtype."""
    if type(policy) is Policy and not policy._loss_scale_is_given:
        name: str = policy.name
        return name == "_infer" or name == policy.compute_dtype == policy.variable_dtype
    return original(policy)


class _SavedPolicy:
    """Replaces the classes of saved policies if tf-keras' own reader cannot be patched."""

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        if _has_a_loss_scale(config):
            return Policy.from_config(config, custom_objects)
        return tf_keras.mixed_precision.Policy(config["name"])


_SAVED_NAMES = ("Policy", "PolicyV1")
_PATCHES: tuple[_patching.FunctionPatch, ...] = (
    (
        (stock.dtype_policies, "deserialize", _deserialize),
        (stock.dtype_policies, "_policy_equivalent_to_dtype", _is_a_dtype),
    )
    if stock.dtype_policies
    else ()
)


def patch_keras() -> None:
    """Lets loaded layers get the policies that their configs state, including loss scales."""
    _patching.patch_functions(_PATCHES)
    if not _PATCHES:
        tf_keras.utils.get_custom_objects().update(dict.fromkeys(_SAVED_NAMES, _SavedPolicy))


def unpatch_keras() -> None:
    """Undoes `enable`."""
    _patching.unpatch_functions(_PATCHES)
    if layer_patches.cache_info().currsize:
        _patching.unpatch_functions(layer_patches())
    if not _PATCHES:
        for name in _SAVED_NAMES:
            tf_keras.utils.get_custom_objects().pop(name, None)


def keras_is_patched() -> bool:
    """Whether loaded layers get their loss scales."""
    if not _PATCHES:
        return tf_keras.utils.get_custom_objects().get(_SAVED_NAMES[0]) is _SavedPolicy
    return _patching.are_patched(_PATCHES)
