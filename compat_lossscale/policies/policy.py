# SPDX-License-Identifier: Apache-2.0
"""The experimental dtype policies of TensorFlow 1.14 to 2.4, which have a loss scale."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import tensorflow as tf
import tf_keras

from compat_lossscale import _patching
from compat_lossscale.members.policy import PolicyWithLossScale
from compat_lossscale.optimizers import (
    ExperimentalLossScaleOptimizer,
    loss_scale_config,
    stock,
)
from compat_lossscale.policies import compile_wrapping

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

    _configs = loss_scale_config.configs

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
