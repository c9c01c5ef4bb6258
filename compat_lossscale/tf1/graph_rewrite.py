# SPDX-License-Identifier: Apache-2.0
"""The graph rewrite: TensorFlow's automatic mixed precision, with loss scaling for an optimizer."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf

from compat_lossscale.core import native, private
from compat_lossscale.members.loss_scales import LossScaleConfigs
from compat_lossscale.spec import LossScaleSpec
from compat_lossscale.tf1.optimizer import MixedPrecisionLossScaleOptimizer


@dataclasses.dataclass(frozen=True)
class RewritableKeras:
    """A Keras whose optimizers the rewrite wraps.

    Attributes:
        optimizers: The base classes of its optimizers.
        wrappers: The classes of its optimizers that have loss scaling already.
        wrap: Its experimental LossScaleOptimizer.
        configs: Reads a loss scale that is given as its config.
        global_policy: Returns the dtype policy of its layers.
    """

    optimizers: tuple[type, ...]
    wrappers: tuple[type, ...]
    wrap: Callable[[Any, Any], Any]
    configs: LossScaleConfigs
    global_policy: Callable[[], Any]


KERASES: list[RewritableKeras] = []
"""Those that are in use. Each room with optimizers for one adds its own."""


def enable_mixed_precision_graph_rewrite(opt: Any, loss_scale: Any = "dynamic") -> Any:
    """Turns on TensorFlow's automatic mixed precision and wraps an optimizer with loss scaling.

    Source: `tf.train.experimental.enable_mixed_precision_graph_rewrite` of TensorFlow 1.14 to 2.4.

    Args:
        opt: An optimizer of `tf.compat.v1.train` or of Keras; or another one, for which TensorFlow
            has a wrapper registered.
        loss_scale: What the wrapper takes as its `loss_scale`.

    Returns:
        A `MixedPrecisionLossScaleOptimizer`, an experimental `LossScaleOptimizer`, or the
        registered wrapper, around `opt`.

    Raises:
        ValueError: `opt` is no optimizer or already has loss scaling, or the global Keras policy
            is a mixed one; the rewrite is then left as it was.
    """
    _check_policy()
    wrapped = (native.MixedPrecisionLossScaleOptimizer, *(w for k in KERASES for w in k.wrappers))
    if isinstance(opt, wrapped):
        raise ValueError(
            f'"opt" must not already be an instance of a {type(opt).__name__}: '
            "enable_mixed_precision_graph_rewrite wraps the optimizer itself."
        )
    keras = next((one for one in KERASES if isinstance(opt, one.optimizers)), None)
    wrapper: Callable[[Any, Any], Any]
    if isinstance(opt, tf.compat.v1.train.Optimizer):
        wrapper = MixedPrecisionLossScaleOptimizer
    elif keras is not None:
        wrapper = keras.wrap
        if isinstance(loss_scale, Mapping):
            loss_scale = keras.configs.deserialize(loss_scale)
    else:
        # TensorFlow knows the wrappers that others have registered for optimizers of their own.
        return native.enable_mixed_precision_graph_rewrite(opt, loss_scale)
    if not isinstance(loss_scale, native.LossScale):
        # Refused, if it has to be, before anything is switched.
        LossScaleSpec.from_argument(loss_scale)
    options = tf.config.optimizer.get_experimental_options()
    was_enabled = options.get("auto_mixed_precision", False)
    # TensorFlow's function both switches and wraps. It is given an optimizer nobody uses, with a
    # scale that needs no variable: the wrapper that counts is made below.
    native.enable_mixed_precision_graph_rewrite(
        tf.compat.v1.train.GradientDescentOptimizer(0.0), loss_scale=1
    )
    try:
        return wrapper(opt, loss_scale)
    except Exception:
        if not was_enabled:
            native.disable_mixed_precision_graph_rewrite()
        raise


def _check_policy() -> None:
    for policy in (keras.global_policy() for keras in KERASES):
        if policy.compute_dtype != policy.variable_dtype:
            raise ValueError(
                "The mixed precision graph rewrite cannot be enabled, because the global Keras "
                "dtype Policy has been set to a mixed precision policy: "
                "tf.keras.mixed_precision.experimental.set_policy or "
                f"tf.keras.mixed_precision.set_global_policy has set {policy.name!r}. "
                "Use that or enable_mixed_precision_graph_rewrite, not both."
            )


def disable_mixed_precision_graph_rewrite() -> None:
    """Turns TensorFlow's automatic mixed precision off again. Wrapped optimizers stay wrapped.

    Source: `tf.train.experimental.disable_mixed_precision_graph_rewrite` of TensorFlow 1.14 to 2.4.
    """
    native.disable_mixed_precision_graph_rewrite()


def is_enabled() -> bool:
    """Whether TensorFlow's automatic mixed precision was turned on by the graph rewrite."""
    return bool(private.is_graph_rewrite_enabled())
