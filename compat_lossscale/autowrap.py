# SPDX-License-Identifier: Apache-2.0
"""Which loss-scale optimizer `Model.compile` wraps an optimizer with.

tf-keras decides by the policy's name alone and always takes its own class. Up to TensorFlow 2.4
the policy's loss scale decided. While this is on, it decides again for the experimental policies;
every other policy is left to tf-keras, or to a default given here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from compat_lossscale.optimizers import stock

Wrap = Callable[[Any], Any]

_HOOKS = (
    ((stock.Model, "_get_optimizer"), (stock.ModelV1, "_set_optimizer"))
    if stock.chooses_optimizers_by_method
    else ((stock.Model, "compile"), (stock.ModelV1, "compile"))
)
"""The methods that decide, of the models of TensorFlow 2 and 1."""


def current() -> tuple[Any, ...]:
    """What decides at present, for `restore`."""
    return tuple(getattr(model, name) for model, name in _HOOKS)


def restore(decision: tuple[Any, ...]) -> None:
    """Lets that decide again which `current` returned."""
    for (model, name), method in zip(_HOOKS, decision, strict=True):
        setattr(model, name, method)


_ORIGINAL = current()


def enable(default: Wrap | None = None) -> None:
    """Lets experimental policies decide what `compile` wraps with.

    Args:
        default: Wraps an optimizer under a `mixed_float16` policy that is no experimental one.
            `None` leaves that to tf-keras.
    """

    def wrapping(model: Any) -> Wrap | None:
        policy = model.dtype_policy
        by_policy: Wrap | None = getattr(policy, "wrap_optimizer", None)
        if by_policy is None and policy.name == "mixed_float16":
            return default
        return by_policy

    if stock.chooses_optimizers_by_method:
        restore(_choosing_methods(wrapping))
    else:
        restore(tuple(_compiling(wrapping, original) for original in _ORIGINAL))


def _choosing_methods(wrapping: Callable[[Any], Wrap | None]) -> tuple[Any, Any]:
    original_get_optimizer, original_set_optimizer = _ORIGINAL

    def _get_optimizer(model: Any, optimizer: Any) -> Any:
        wrap = wrapping(model)
        if wrap is None:
            return original_get_optimizer(model, optimizer)
        return tf.nest.map_structure(lambda one: wrap(stock.optimizers.get(one)), optimizer)

    def _set_optimizer(model: Any, optimizer: Any) -> None:
        wrap = wrapping(model)
        if wrap is None or isinstance(optimizer, list | tuple):
            original_set_optimizer(model, optimizer)
        else:
            model.optimizer = wrap(stock.optimizers.get(optimizer))

    return _get_optimizer, _set_optimizer


def _compiling(wrapping: Callable[[Any], Wrap | None], original: Callable[..., None]) -> Any:
    @functools.wraps(original)
    def compile(model: Any, optimizer: Any = "rmsprop", *args: Any, **kwargs: Any) -> None:  # noqa: A001  # as Keras calls it
        wrap = wrapping(model)
        with model.distribute_strategy.scope():
            if wrap is not None:
                optimizer = tf.nest.map_structure(
                    lambda one: wrap(stock.optimizers.get(one)), optimizer
                )
            elif isinstance(optimizer, str):
                # `install()` may have changed what a name stands for.
                optimizer = stock.optimizers.get(optimizer)
        original(model, optimizer, *args, **kwargs)
        if wrap is not None:
            # tf-keras wraps what a policy without a loss scale leaves as it is.
            model.optimizer = optimizer

    return compile


def disable() -> None:
    """Gives tf-keras its own decision back."""
    restore(_ORIGINAL)


def is_enabled() -> bool:
    """Whether experimental policies decide at present."""
    return current() != _ORIGINAL
