# SPDX-License-Identifier: Apache-2.0
"""The class and the loss scale with which `Model.compile` wraps an optimizer.

tf-keras decides by the policy's name, and always uses its own class. Up to TensorFlow 2.4, the
policy's loss scale decided. While this is enabled, experimental policies decide again. For other
policies, tf-keras or a default decides.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import tensorflow as tf

from compat_lossscale._patching import FunctionPatch, FunctionPatches
from compat_lossscale.members.policy import Wrap, wrap_under
from compat_lossscale.optimizers import stock

Wrapping: TypeAlias = Callable[[Any], Wrap | None]

patches = FunctionPatches()
"""What lets experimental policies decide; none are applied while tf-keras decides."""


def enable(default: Wrap | None = None) -> None:
    """Lets experimental policies decide how `compile` wraps an optimizer.

    Args:
        default: Wraps an optimizer under a `mixed_float16` policy that is not experimental.
            With `None`, tf-keras wraps it.
    """

    def wrapping(model: Any) -> Wrap | None:
        return wrap_under(model.dtype_policy, default)

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
