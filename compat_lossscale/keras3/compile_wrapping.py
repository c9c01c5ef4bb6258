# SPDX-License-Identifier: Apache-2.0
"""Which loss-scale optimizer Keras 3's `Model.compile` wraps an optimizer with.

Keras decides by the policy's name alone and takes its own class. While this is on, the experimental
policies decide; every other policy is left to Keras, or to a default given here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeAlias

import keras

from compat_lossscale._patching import FunctionPatch, patch_functions, unpatch_functions

Wrap: TypeAlias = Callable[[Any], Any]

_patches: tuple[FunctionPatch, ...] = ()
"""What is in place at present."""


def current() -> tuple[FunctionPatch, ...]:
    """What decides at present, for `restore`."""
    return _patches


def restore(patches: tuple[FunctionPatch, ...]) -> None:
    """Lets that decide again which `current` returned."""
    global _patches  # noqa: PLW0603  # one process has one Keras
    unpatch_functions(_patches)
    patch_functions(patches)
    _patches = patches


def enable(default: Wrap | None = None) -> None:
    """Lets experimental policies decide what `compile` wraps with.

    Args:
        default: Wraps an optimizer under a `mixed_float16` policy that is no experimental one.
            `None` leaves that to Keras.
    """

    def wrapping(model: Any) -> Wrap | None:
        policy = model.dtype_policy
        by_policy: Wrap | None = getattr(policy, "wrap_optimizer", None)
        if by_policy is None and policy.name == "mixed_float16":
            return default
        return by_policy

    def compile_model(original: Callable[..., None], model: Any, *args: Any, **kwargs: Any) -> None:
        wrap = wrapping(model)
        if wrap is None:
            original(model, *args, **kwargs)
            return
        given = inspect.signature(original).bind(model, *args, **kwargs)
        given.apply_defaults()
        optimizer = keras.optimizers.get(given.arguments["optimizer"])
        if given.arguments["auto_scale_loss"] and optimizer is not None:
            optimizer = wrap(optimizer)
        # Keras would wrap what a policy without a loss scale leaves as it is.
        given.arguments.update(optimizer=optimizer, auto_scale_loss=False)
        original(*given.args, **given.kwargs)

    trainer = next(cls for cls in keras.Model.__mro__ if "compile" in vars(cls))
    restore(((trainer, "compile", compile_model),))


def disable() -> None:
    """Gives Keras its own decision back."""
    restore(())


def is_enabled() -> bool:
    """Whether experimental policies decide at present."""
    return bool(_patches)
