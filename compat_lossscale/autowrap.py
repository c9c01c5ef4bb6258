# SPDX-License-Identifier: Apache-2.0
"""Which loss-scale optimizer `Model.compile` wraps an optimizer with.

tf-keras decides by the policy's name alone and always takes its own class. Up to TensorFlow 2.4
the policy's loss scale decided. While this is on, it decides again for the experimental policies;
every other policy is left to tf-keras, or to a default given here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from compat_lossscale.optimizers import stock

_original_get_optimizer = stock.Model._get_optimizer
_original_set_optimizer = stock.ModelV1._set_optimizer

Wrap = Callable[[Any], Any]


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

    def _get_optimizer(model: Any, optimizer: Any) -> Any:
        wrap = wrapping(model)
        if wrap is None:
            return _original_get_optimizer(model, optimizer)
        return tf.nest.map_structure(lambda one: wrap(stock.optimizers.get(one)), optimizer)

    def _set_optimizer(model: Any, optimizer: Any) -> None:
        wrap = wrapping(model)
        if wrap is None or isinstance(optimizer, list | tuple):
            _original_set_optimizer(model, optimizer)
        else:
            model.optimizer = wrap(stock.optimizers.get(optimizer))

    stock.Model._get_optimizer = _get_optimizer
    stock.ModelV1._set_optimizer = _set_optimizer


def disable() -> None:
    """Gives tf-keras its own decision back."""
    restore((_original_get_optimizer, _original_set_optimizer))


def current() -> tuple[Any, Any]:
    """What decides at present, for `restore`."""
    return stock.Model._get_optimizer, stock.ModelV1._set_optimizer


def restore(decision: tuple[Any, Any]) -> None:
    """Lets that decide again which `current` returned."""
    stock.Model._get_optimizer, stock.ModelV1._set_optimizer = decision


def is_enabled() -> bool:
    """Whether experimental policies decide at present."""
    return stock.Model._get_optimizer is not _original_get_optimizer
