# SPDX-License-Identifier: Apache-2.0
"""The experimental dtype policies of TensorFlow 1.14 to 2.4, which have a loss scale."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf
import tf_keras

from compat_lossscale import _patching
from compat_lossscale.members.policy import PolicyWithLossScale
from compat_lossscale.optimizers import ExperimentalLossScaleOptimizer, base, families, stock
from compat_lossscale.policies import compile_wrapping


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
    return "loss_scale" in config or families.old_names_are_installed


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


_OLD_SUFFIX = re.compile("_with_float32_vars$")
_NAMES_OF_TODAY = {
    "infer": "_infer",
    "infer_float32_vars": "infer_with_float32_vars",  # The first is of 1.14, the second of 1.15.
    "float32_with_float32_vars": "float32",
}


class Policy(PolicyWithLossScale, tf_keras.mixed_precision.Policy):
    """A dtype policy with a loss scale, which `Model.compile` wraps optimizers with.

    Source: `tf.keras.mixed_precision.experimental.Policy` of TensorFlow 1.14 to 2.4.

    Args:
        name: `"mixed_float16"`, `"mixed_bfloat16"`, or the name of a dtype. The names of early
            versions are accepted: `"infer"`, and the name of a dtype with `"_with_float32_vars"`.
        loss_scale: The `loss_scale` of the experimental LossScaleOptimizer; or `None`
            for no loss scaling; or `"auto"`, which is `"dynamic"` for `mixed_float16` and `None`
            for every other policy.

    Raises:
        ValueError: There is no policy with this name, or `loss_scale` is not one of these.
    """

    _configs = base.configs

    def __init__(self, name: str, loss_scale: Any = "auto") -> None:
        super().__init__(_NAMES_OF_TODAY.get(name, name) if isinstance(name, str) else name)
        self._take_loss_scale(name, loss_scale)
        if not compile_wrapping.patches.applied:
            compile_wrapping.enable()

    def _parse_name(self, name: str) -> tuple[str | None, str | None]:
        if isinstance(name, str) and _OLD_SUFFIX.search(name):
            tf.get_logger().warning(
                "The policy name %r is of TensorFlow 2.0 and earlier; use 'mixed_float16' or "
                "'mixed_bfloat16'.",
                name,
            )
            dtype = _OLD_SUFFIX.sub("", name)
            if dtype == "infer":
                _patching.patch_functions(layer_patches())
                return None, "float32"
            try:
                compute_dtype, _ = super()._parse_name(dtype)
            except ValueError as error:
                raise ValueError(str(error).replace(dtype, name)) from None
            return compute_dtype, "float32"
        parsed: tuple[str | None, str | None] = super()._parse_name(name)
        return parsed

    def wrap_optimizer(self, optimizer: Any) -> Any:
        """Wraps an optimizer as `Model.compile` does under this policy.

        Args:
            optimizer: A Keras optimizer.

        Returns:
            The wrapped optimizer; or `optimizer` itself if it already has loss scaling, or this
            policy has no loss scale.
        """
        if self._loss_scale is None or isinstance(optimizer, stock.BaseLossScaleOptimizer):
            return optimizer
        return ExperimentalLossScaleOptimizer(optimizer, self._loss_scale)


if stock.POLICY_NAME_IN_FILES is not None:
    # Files then name tf-keras' class and load without this package, and old versions read them.
    setattr(Policy, *stock.POLICY_NAME_IN_FILES)


def with_input_dtype(policy: Any, dtype: Any) -> Policy:
    """Returns the policy of a layer that infers its dtype (private in TensorFlow 2.0 to 2.2).

    Args:
        policy: A policy without a compute dtype.
        dtype: The dtype of the layer's first input.
    """
    name = tf.as_dtype(dtype).name
    return Policy(name if policy.variable_dtype is None else f"{name}_with_float32_vars")


def _call_layer(original: Callable[..., Any], layer: Any, *args: Any, **kwargs: Any) -> Any:
    """Lets a layer infer its compute dtype, if its policy has float32 variables in any case."""
    policy = getattr(layer, "dtype_policy", None)
    if isinstance(policy, Policy) and policy.compute_dtype is None and policy.variable_dtype:
        dtype = getattr(next(iter(tf.nest.flatten((args, kwargs))), None), "dtype", None)
        if dtype is not None:
            # tf-keras itself infers both dtypes, and only when it builds the layer.
            stock.set_policy_of_layer(layer, with_input_dtype(policy, dtype))
    return original(layer, *args, **kwargs)


@functools.cache
def layer_patches() -> tuple[_patching.FunctionPatch, ...]:
    """Applies patches once there is a policy that needs them."""
    return tuple((layer, "__call__", _call_layer) for layer in stock.layer_classes())
