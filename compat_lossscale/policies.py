# SPDX-License-Identifier: Apache-2.0
"""The experimental policies of TensorFlow 1.14 to 2.4, and what `Model.compile` wraps under them.

tf-keras decides by the name of a policy, and always wraps with its own class. Up to TensorFlow 2.4,
the loss scale of the policy decided. While that is enabled, experimental policies decide again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import tensorflow as tf
import tf_keras

from compat_lossscale._patching import FunctionPatch, FunctionPatches
from compat_lossscale.members import loss_scales
from compat_lossscale.optimizers import ExperimentalLossScaleOptimizer, base, stock
from compat_lossscale.spec.configs import POLICIES

Wrapping: TypeAlias = Callable[[Any], loss_scales.Wrap | None]

patches = FunctionPatches()
"""What lets experimental policies decide; none are applied while tf-keras decides."""


def enable(default: loss_scales.Wrap | None = None) -> None:
    """Lets experimental policies decide how `compile` wraps an optimizer.

    `default` wraps an optimizer under a `mixed_float16` policy that is not experimental. `None`
    leaves that to tf-keras.
    """

    def wrapping(model: Any) -> loss_scales.Wrap | None:
        return loss_scales.wrap_under(model.dtype_policy, default)

    patches.replace(
        _method_patches(wrapping)
        if stock.chooses_optimizers_by_method
        else _compile_patches(wrapping)
    )


def _method_patches(wrapping: Wrapping) -> tuple[FunctionPatch, ...]:
    """Returns patches of the methods that decide, of the models of TensorFlow 2 and 1."""

    def get_optimizer(original: Callable[..., Any], model: Any, optimizer: Any) -> Any:
        wrap = wrapping(model)
        if wrap is None:
            return original(model, optimizer)
        return tf.nest.map_structure(lambda one: wrap(stock.optimizers.get(one)), optimizer)

    def set_optimizer(original: Callable[..., None], model: Any, optimizer: Any) -> None:
        wrap = wrapping(model)
        if wrap is None or isinstance(optimizer, list | tuple):
            original(model, optimizer)
        else:
            model.optimizer = wrap(stock.optimizers.get(optimizer))

    return (
        (stock.Model, "_get_optimizer", get_optimizer),
        (stock.ModelV1, "_set_optimizer", set_optimizer),
    )


def _compile_patches(wrapping: Wrapping) -> tuple[FunctionPatch, ...]:
    """Returns patches of `compile`, for a tf-keras in which no method decides."""

    def compile_model(
        original: Callable[..., None],
        model: Any,
        optimizer: Any = "rmsprop",
        *args: Any,
        **kwargs: Any,
    ) -> None:
        wrap = wrapping(model)
        with model.distribute_strategy.scope():
            if wrap is not None:
                optimizer = tf.nest.map_structure(
                    lambda one: wrap(stock.optimizers.get(one)), optimizer
                )
            elif isinstance(optimizer, str):
                # `install()` may have changed the class that a name means.
                optimizer = stock.optimizers.get(optimizer)
        original(model, optimizer, *args, **kwargs)
        if wrap is not None:
            # tf-keras would also wrap under a policy without a loss scale.
            model.optimizer = optimizer

    return tuple((model, "compile", compile_model) for model in (stock.Model, stock.ModelV1))


def _deserialize(original: Callable[..., Any], config: Any, custom_objects: Any = None) -> Any:
    """Creates the policy of a layer's config, which may have a loss scale."""
    if isinstance(config, Mapping) and config.get("class_name") in POLICIES:
        stated = config.get("config")
        if isinstance(stated, Mapping) and _has_a_loss_scale(stated):
            return Policy.from_config(dict(stated), custom_objects)
    return original(config, custom_objects)


def _has_a_loss_scale(config: Mapping[str, Any]) -> bool:
    return "loss_scale" in config or base.old_names_are_installed


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


PATCHES: tuple[FunctionPatch, ...] = (
    (
        (stock.dtype_policies, "deserialize", _deserialize),
        (stock.dtype_policies, "_policy_equivalent_to_dtype", _is_a_dtype),
    )
    if stock.dtype_policies
    else tuple((tf_keras.utils.get_custom_objects(), name, _SavedPolicy) for name in POLICIES)
)
"""What lets loaded layers get the policies that their configs state, including loss scales."""
keras_patches = FunctionPatches()
keras_patches.add(PATCHES)


_OLD_SUFFIX = re.compile("_with_float32_vars$")
_NAMES_OF_TODAY = {
    "infer": "_infer",
    "infer_float32_vars": "infer_with_float32_vars",  # The first is of 1.14, the second of 1.15.
    "float32_with_float32_vars": "float32",
}


class Policy(loss_scales.PolicyWithLossScale, tf_keras.mixed_precision.Policy):
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
    _wrapper = ExperimentalLossScaleOptimizer
    _wrappers = stock.BaseLossScaleOptimizer

    def __init__(self, name: str, loss_scale: Any = "auto") -> None:
        super().__init__(_NAMES_OF_TODAY.get(name, name) if isinstance(name, str) else name)
        self._take_loss_scale(name, loss_scale)
        if not patches.applied:
            enable()

    def _parse_name(self, name: str) -> tuple[str | None, str | None]:
        if isinstance(name, str) and _OLD_SUFFIX.search(name):
            tf.get_logger().warning(
                "The policy name %r is of TensorFlow 2.0 and earlier; use 'mixed_float16' or "
                "'mixed_bfloat16'.",
                name,
            )
            dtype = _OLD_SUFFIX.sub("", name)
            if dtype == "infer":
                # Not before there is a policy that needs it.
                classes = dict.fromkeys(stock.layer_classes())
                keras_patches.add(tuple((layer, "__call__", _call_layer) for layer in classes))
                return None, "float32"
            try:
                compute_dtype, _ = super()._parse_name(dtype)
            except ValueError as error:
                raise ValueError(str(error).replace(dtype, name)) from None
            return compute_dtype, "float32"
        parsed: tuple[str | None, str | None] = super()._parse_name(name)
        return parsed


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


def set_policy(policy: Any) -> None:
    """Sets the policy of all layers that are created from now on.

    Source: `tf.keras.mixed_precision.experimental.set_policy` of TensorFlow 1.14 to 2.4.

    Args:
        policy: A policy, the name of a policy, or `None` for the policy of `floatx()`.

    Raises:
        ValueError: It is not a policy, its dtype is not floating-point, or it is a mixed policy
            while the graph rewrite is on.
    """
    if policy is not None and not isinstance(policy, tf_keras.mixed_precision.Policy):
        policy = Policy(policy)
    if not patches.applied:
        enable()
    try:
        tf_keras.mixed_precision.set_global_policy(policy)
    except ValueError as error:
        # The message names the function that was called, as in TensorFlow 2.4.
        raise ValueError(str(error).replace("set_global_policy", "set_policy")) from None


def _policy_that_was_set() -> Any:
    """Returns the global policy, or `None` for the default, which Keras creates each time."""
    policy = tf_keras.mixed_precision.global_policy()
    return policy if policy is tf_keras.mixed_precision.global_policy() else None


policy_scope = loss_scales.policy_scope_of(set_policy, _policy_that_was_set)
"""Sets the policy inside a `with` block."""


def global_policy() -> Any:
    """Returns the policy of new layers.

    Source: `tf.keras.mixed_precision.experimental.global_policy` of TensorFlow 1.14 to 2.4.

    Returns:
        The policy object that was set. After `set_policy` with a name, it has a loss scale. After
        `tf.keras.mixed_precision.set_global_policy`, it is a policy of Keras, as in TensorFlow 2.4.
        If none was set, a policy with a loss scale of `None`.
    """
    policy = _policy_that_was_set()
    return Policy(tf_keras.mixed_precision.global_policy().name) if policy is None else policy


get_layer_policy = loss_scales.get_layer_policy_of(tf_keras.layers.Layer, "tf-keras")
"""Returns a layer's policy, the layer's own object."""
