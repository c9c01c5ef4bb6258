# SPDX-License-Identifier: Apache-2.0
"""The experimental dtype policies of TensorFlow 1.14 to 2.4, which carry a loss scale."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import tensorflow as tf
import tf_keras

from compat_lossscale import autowrap
from compat_lossscale.core import LossScale
from compat_lossscale.optimizers import (
    ExperimentalLossScaleOptimizer,
    era,
    loss_scale_config,
    stock,
    teaching,
)

_OLD_SUFFIX = re.compile("(_with)?_float32_vars$")
_NAMES_OF_TODAY = {"infer": "_infer", "float32_with_float32_vars": "float32"}


class Policy(tf_keras.mixed_precision.Policy):
    """A dtype policy with a loss scale, which `Model.compile` wraps optimizers with.

    Source: `tf.keras.mixed_precision.experimental.Policy` of TensorFlow 1.14 to 2.4.

    Args:
        name: `"mixed_float16"`, `"mixed_bfloat16"`, or a dtype's name. The names that early
            versions took are understood: `"infer"`, and a dtype's with `"_with_float32_vars"`.
        loss_scale: What the experimental LossScaleOptimizer takes as its `loss_scale`; or `None`
            for no loss scaling; or `"auto"`, which is `"dynamic"` for `mixed_float16` and `None`
            for every other policy.

    Raises:
        ValueError: The name is no policy's, or `loss_scale` is not of these kinds.
    """

    def __init__(self, name: str, loss_scale: Any = "auto") -> None:
        super().__init__(_NAMES_OF_TODAY.get(name, name) if isinstance(name, str) else name)
        self._loss_scale_is_given = not (isinstance(loss_scale, str) and loss_scale == "auto")
        if not self._loss_scale_is_given:
            loss_scale = "dynamic" if self.name == "mixed_float16" else None
        elif loss_scale is not None and self.compute_dtype not in ("float16", None):
            tf.get_logger().warning(
                "The policy %r computes in %s, which needs no loss scaling, but was given the "
                "loss scale %s. Loss scaling only costs time here.",
                name,
                self.compute_dtype,
                loss_scale,
            )
        self._loss_scale = loss_scale_config.get(loss_scale)
        if not autowrap.is_enabled():
            autowrap.enable()

    def _parse_name(self, name: str) -> tuple[str | None, str | None]:
        if isinstance(name, str) and _OLD_SUFFIX.search(name):
            tf.get_logger().warning(
                "The policy name %r is of TensorFlow 2.0 and earlier; use 'mixed_float16' or "
                "'mixed_bfloat16'.",
                name,
            )
            dtype = _OLD_SUFFIX.sub("", name)
            if dtype == "infer":
                teaching.teach(_lessons_of_layers())
                return None, "float32"
            try:
                compute_dtype, _ = super()._parse_name(dtype)
            except ValueError as error:
                raise ValueError(str(error).replace(dtype, name)) from None
            return compute_dtype, "float32"
        parsed: tuple[str | None, str | None] = super()._parse_name(name)
        return parsed

    @property
    def loss_scale(self) -> LossScale | None:
        """The loss scale, the very object that was given if one was; `None` for none."""
        return self._loss_scale

    @property
    def should_cast_variables(self) -> bool:
        """Whether variables are cast to another dtype for computing (gone in TensorFlow 2.4)."""
        return bool(self.variable_dtype != self.compute_dtype)

    def wrap_optimizer(self, optimizer: Any) -> Any:
        """Wraps an optimizer as `Model.compile` does under this policy.

        Args:
            optimizer: A Keras optimizer.

        Returns:
            `optimizer` itself if it has loss scaling already or this policy has no loss scale.
        """
        if self._loss_scale is None or isinstance(optimizer, stock.BaseLossScaleOptimizer):
            return optimizer
        return ExperimentalLossScaleOptimizer(optimizer, self._loss_scale)

    def get_config(self) -> dict[str, Any]:
        """Returns the name, and the loss scale if one was given."""
        config: dict[str, Any] = {"name": self.name}
        if self._loss_scale_is_given:
            config["loss_scale"] = loss_scale_config.serialize(self._loss_scale)
        return config

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None
    ) -> Policy:
        """Makes a policy from `get_config()`'s dictionary.

        Args:
            config: The name, and the loss scale as TensorFlow 2.1 to 2.4 wrote it.
            custom_objects: Users' own LossScale classes by name.

        Returns:
            The policy, its loss scale in its initial state.
        """
        arguments = dict(config)
        if isinstance(arguments.get("loss_scale"), Mapping):
            arguments["loss_scale"] = loss_scale_config.deserialize(
                arguments["loss_scale"], custom_objects
            )
        return cls(**arguments)

    def __repr__(self) -> str:
        return f'<Policy "{self.name}", loss_scale={self._loss_scale!r}>'


def set_policy(policy: Any) -> None:
    """Sets the policy of all layers made from now on.

    Source: `tf.keras.mixed_precision.experimental.set_policy` of TensorFlow 1.14 to 2.4.

    Args:
        policy: A policy, the name of one, or `None` for `floatx()`'s.

    Raises:
        ValueError: It is no policy, one of numbers that are not floating-point, or a mixed one
            while the graph rewrite is on.
    """
    if policy is not None and not isinstance(policy, tf_keras.mixed_precision.Policy):
        policy = Policy(policy)
    if not autowrap.is_enabled():
        autowrap.enable()
    try:
        tf_keras.mixed_precision.set_global_policy(policy)
    except ValueError as error:
        # It speaks of the function that was called, as the old one did.
        raise ValueError(str(error).replace("set_global_policy", "set_policy")) from None


def _policy_that_was_set() -> Any:
    """The global policy, or `None` if there is only the default, which Keras makes each time."""
    policy = tf_keras.mixed_precision.global_policy()
    return policy if policy is tf_keras.mixed_precision.global_policy() else None


@contextlib.contextmanager
def policy_scope(policy: Any) -> Iterator[None]:
    """Sets the policy inside a `with` block (private in TensorFlow, and imported all the same).

    Args:
        policy: See `set_policy`.
    """
    found = _policy_that_was_set()
    set_policy(policy)
    try:
        yield
    finally:
        set_policy(found)


def global_policy() -> Any:
    """Returns the policy of layers made now.

    Source: `tf.keras.mixed_precision.experimental.global_policy` of TensorFlow 1.14 to 2.4.

    Returns:
        The very policy that was set. It has a loss scale if `set_policy` was given its name, and
        is one of Keras' own after `tf.keras.mixed_precision.set_global_policy`, as in TensorFlow
        2.4. If none was set, one with a loss scale of `None`.
    """
    policy = _policy_that_was_set()
    return Policy(tf_keras.mixed_precision.global_policy().name) if policy is None else policy


def get_layer_policy(layer: Any) -> Any:
    """Returns a layer's policy, the layer's own object.

    Source: `tf.keras.mixed_precision.experimental.get_layer_policy` of TensorFlow 2.2 to 2.4.

    Args:
        layer: A Keras layer.

    Raises:
        ValueError: `layer` is none.
    """
    if not isinstance(layer, tf_keras.layers.Layer):
        raise ValueError(
            f"get_policy can only be called on a layer, but got: {layer!r}. get_layer_policy takes "
            "a layer of tf-keras."
        )
    return layer.dtype_policy


def with_input_dtype(policy: Any, dtype: Any) -> Policy:
    """Returns the policy of a layer that infers its dtype (private in TensorFlow 2.0 to 2.2).

    Args:
        policy: A policy without a compute dtype.
        dtype: The dtype of the layer's first input.
    """
    name = tf.as_dtype(dtype).name
    return Policy(name if policy.variable_dtype is None else f"{name}_with_float32_vars")


def deserialize(config: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """Makes a policy from what a layer's config has as its `dtype` (private in TensorFlow).

    Args:
        config: `{"class_name", "config"}`, a dtype's name, or `None`.
        custom_objects: Users' own classes by name.

    Returns:
        A policy; one with a loss scale if the config states one.
    """
    return stock.policy_from_config(config, custom_objects)


def _deserialize(original: Callable[..., Any], config: Any, custom_objects: Any = None) -> Any:
    """Makes the policy of a layer's config, which may be one with a loss scale."""
    if isinstance(config, Mapping) and config.get("class_name") in _SAVED_NAMES:
        stated = config.get("config")
        if isinstance(stated, Mapping) and _has_a_loss_scale(stated):
            return Policy.from_config(dict(stated), custom_objects)
    return original(config, custom_objects)


def _has_a_loss_scale(config: Mapping[str, Any]) -> bool:
    return "loss_scale" in config or era.old_names_are_installed


def _is_a_dtype(original: Callable[[Any], bool], policy: Any) -> bool:
    """Whether a layer's config has a policy as the name of a dtype, as it always had them."""
    if type(policy) is Policy and not policy._loss_scale_is_given:
        name: str = policy.name
        return name == "_infer" or name == policy.compute_dtype == policy.variable_dtype
    return original(policy)


def _call_layer(original: Callable[..., Any], layer: Any, *args: Any, **kwargs: Any) -> Any:
    """Lets a layer infer what it computes in, if its policy has float32 variables all the same."""
    policy = getattr(layer, "dtype_policy", None)
    if isinstance(policy, Policy) and policy.compute_dtype is None and policy.variable_dtype:
        dtype = getattr(next(iter(tf.nest.flatten((args, kwargs))), None), "dtype", None)
        if dtype is not None:
            # tf-keras itself infers both dtypes, and only when it builds the layer.
            stock.set_policy_of_layer(layer, with_input_dtype(policy, dtype))
    return original(layer, *args, **kwargs)


class _SavedPolicy:
    """Stands for the classes of saved policies where tf-keras' own reader cannot be taught."""

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        if _has_a_loss_scale(config):
            return Policy.from_config(config, custom_objects)
        return tf_keras.mixed_precision.Policy(config["name"])


_SAVED_NAMES = ("Policy", "PolicyV1")
_LESSONS: tuple[teaching.Lesson, ...] = (
    (
        (stock.dtype_policies, "deserialize", _deserialize),
        (stock.dtype_policies, "_policy_equivalent_to_dtype", _is_a_dtype),
    )
    if stock.dtype_policies
    else ()
)


@functools.cache
def _lessons_of_layers() -> tuple[teaching.Lesson, ...]:
    """Are taught once there is a policy that needs them."""
    return tuple((layer, "__call__", _call_layer) for layer in stock.layer_classes())


def teach_keras() -> None:
    """Lets layers get the policies back that their configs state, loss scales included."""
    teaching.teach(_LESSONS)
    if not _LESSONS:
        tf_keras.utils.get_custom_objects().update(dict.fromkeys(_SAVED_NAMES, _SavedPolicy))


def unteach_keras() -> None:
    """Takes that back."""
    teaching.unteach(_LESSONS)
    if _lessons_of_layers.cache_info().currsize:
        teaching.unteach(_lessons_of_layers())
    if not _LESSONS:
        for name in _SAVED_NAMES:
            tf_keras.utils.get_custom_objects().pop(name, None)


def keras_is_taught() -> bool:
    """Whether layers get their loss scales back at present."""
    if not _LESSONS:
        return tf_keras.utils.get_custom_objects().get(_SAVED_NAMES[0]) is _SavedPolicy
    return teaching.is_taught(_LESSONS)


teach_keras()
