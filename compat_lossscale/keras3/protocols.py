# SPDX-License-Identifier: Apache-2.0
"""Which of two protocols a program uses, and so whether the gradients it applies are scaled.

TensorFlow 2.4's protocol is `get_scaled_loss`, `get_unscaled_gradients`, `apply_gradients`: what is
applied has been unscaled. Keras 3's is `scale_loss`, `apply`: what is applied is still scaled. Both
end in the same call, and only what came before it tells them apart. In a compiled function that is
looked at while it is traced, and what is called outside of it belongs to another step.
"""

from __future__ import annotations

import enum
import warnings
import weakref
from collections.abc import Callable
from typing import Any

from compat_lossscale.errors import LossScaleMisuseError, LossScaleMisuseWarning
from compat_lossscale.members.guards import frames_to_the_program


class Protocol(enum.Enum):
    """A way to do a step in parts."""

    KERAS_3 = "scale_loss() and apply()"
    TENSORFLOW_2_4 = "get_scaled_loss(), get_unscaled_gradients() and apply_gradients()"


class ProtocolRecord:
    """What an optimizer's methods were called for since it last applied gradients.

    Args:
        function: Gives the function that is being traced; `None` outside of one.
    """

    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function
        self._seen: dict[Protocol, str] = {}
        self._seen_in: weakref.WeakKeyDictionary[Any, dict[Protocol, str]] = (
            weakref.WeakKeyDictionary()
        )
        self._latest: Protocol | None = None
        self._has_scaled_by_2_4 = False
        self._has_unscaled = False
        self._has_warned = False

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._function,)  # A copy begins with a step of its own.

    def loss_was_scaled(self, protocol: Protocol, method: str) -> None:
        """Notes a scaled loss, and by which method."""
        self._note(protocol, method)
        self._has_scaled_by_2_4 |= protocol is Protocol.TENSORFLOW_2_4

    def gradients_were_unscaled(self, method: str) -> None:
        """Notes unscaled gradients, and by which method."""
        self._note(Protocol.TENSORFLOW_2_4, method)
        self._has_unscaled = True

    def _note(self, protocol: Protocol, method: str) -> None:
        self._seen_here().setdefault(protocol, method)
        self._latest = protocol

    def _seen_here(self) -> dict[Protocol, str]:
        function = self._function()
        return self._seen if function is None else self._seen_in.setdefault(function, {})

    def gradients_are_scaled(self, method: str, *, otherwise: Protocol) -> bool:
        """Says whether the gradients that are applied now are scaled; the step ends here.

        Args:
            method: What they are applied by.
            otherwise: The protocol of that method, for an optimizer that was never asked to scale
                or unscale anything.

        Raises:
            LossScaleMisuseError: The step has calls of both protocols.
        """
        seen = dict(self._seen_here())
        self._seen_here().clear()
        if len(seen) > 1:
            raise LossScaleMisuseError(
                f"{seen[Protocol.KERAS_3]}() and {seen[Protocol.TENSORFLOW_2_4]}() were called in "
                f"one step, so {method}() cannot know whether its gradients are scaled. Use one of "
                f"{Protocol.KERAS_3.value}, which takes scaled gradients; or "
                f"{Protocol.TENSORFLOW_2_4.value}."
            )
        protocol = next(iter(seen), self._latest or otherwise)
        self._warn_of_what_is_missing(protocol, method)
        return protocol is Protocol.KERAS_3

    def _warn_of_what_is_missing(self, protocol: Protocol, method: str) -> None:
        if self._has_warned:
            return
        if protocol is Protocol.KERAS_3:
            missing = [] if self._latest else ["scale_loss"]
        else:
            done = {
                "get_scaled_loss": self._has_scaled_by_2_4,
                "get_unscaled_gradients": self._has_unscaled,
            }
            missing = [name for name, called in done.items() if not called]
        if not missing:
            return
        self._has_warned = True
        called = " and ".join(f"LossScaleOptimizer.{name}()" for name in missing)
        effect = (
            "Gradients of a loss that is not scaled are divided by the loss scale all the same, so "
            "the model will hardly train."
            if protocol is Protocol.KERAS_3
            else "The model will likely train worse."
        )
        warnings.warn(
            f"You forgot to call {called} before LossScaleOptimizer.{method}(). {effect} A step "
            f"takes one of {Protocol.KERAS_3.value}; or {Protocol.TENSORFLOW_2_4.value}.",
            LossScaleMisuseWarning,
            stacklevel=frames_to_the_program(),
        )
