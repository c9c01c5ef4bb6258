# SPDX-License-Identifier: Apache-2.0
"""Which loss-scale optimizer Keras 3's `Model.compile` wraps an optimizer with.

Keras decides by the policy's name alone and takes its own class. While this is on, the experimental
policies decide; every other policy is left to Keras, or to a default given here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import keras

from compat_lossscale._patching import FunctionPatches, Undo, set_attribute
from compat_lossscale.members.policy import Wrap, wrap_under

patches = FunctionPatches()
"""What lets experimental policies decide; none are applied while Keras decides."""


def enable(default: Wrap | None = None) -> None:
    """Lets experimental policies decide what `compile` wraps with.

    Args:
        default: Wraps an optimizer under a `mixed_float16` policy that is no experimental one.
            `None` leaves that to Keras.
    """

    def compile_model(original: Callable[..., None], model: Any, *args: Any, **kwargs: Any) -> None:
        wrap = wrap_under(model.dtype_policy, default)
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
    patches.replace(((trainer, "compile", compile_model),))


def put_get_optimizer(default: Wrap, undo: Undo) -> None:
    """Gives models `_get_optimizer`, which models with a `compile` of their own call.

    Source: `tf.keras.Model._get_optimizer` of TensorFlow 2.0 to 2.10.

    Args:
        default: See `enable`.
        undo: What takes it away again.
    """

    def get_optimizer(self: Any, optimizer: Any) -> Any:
        """Returns what `compile` would train with, for an optimizer or a nest of them."""
        wrap = wrap_under(self.dtype_policy, default)

        def get(identifier: Any) -> Any:
            made = keras.optimizers.get(identifier)
            return made if wrap is None else wrap(made)

        return keras.tree.map_structure(get, optimizer)

    if not hasattr(keras.Model, "_get_optimizer"):
        set_attribute(keras.Model, "_get_optimizer", get_optimizer, undo)
