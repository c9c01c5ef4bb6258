# SPDX-License-Identifier: Apache-2.0
"""Scaling of losses and unscaling of gradients on Keras 3, with the guards against mistakes."""

from __future__ import annotations

import enum
import warnings
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import keras

from compat_lossscale.errors import LossScaleMisuseError, LossScaleMisuseWarning, UnscalableError
from compat_lossscale.keras3 import private
from compat_lossscale.keras3.backends import uncompiled
from compat_lossscale.members.guards import GuardsScaling, frames_to_the_program


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
        self._called: set[str] = set()
        self._has_warned = False

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._function,)  # A copy begins with a step of its own.

    def note(self, protocol: Protocol, method: str) -> None:
        """Notes that a loss was scaled or gradients were unscaled, and by which method."""
        self._seen_here().setdefault(protocol, method)
        self._latest = protocol
        self._called.add(method)

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
            needed = ("get_scaled_loss", "get_unscaled_gradients")
            missing = [name for name in needed if name not in self._called]
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


class ScalesWithGuards(GuardsScaling):
    """Adds guarded scaling to an optimizer whose `Steps` are those of a backend."""

    _protocols: ProtocolRecord
    _current_scale: Callable[[], Any]
    _unscale: Callable[..., list[Any]]
    _check_not_constant: Callable[[list[Any], str], None]

    @uncompiled
    def scale_loss(self, loss: Any) -> Any:
        """Multiplies the loss by the loss scale, as Keras 3's protocol has it.

        Args:
            loss: A floating-point tensor of any shape.

        Returns:
            The scaled loss. A float16 loss becomes float32, in which the product is finite.
        """
        self._protocols.note(Protocol.KERAS_3, "scale_loss")
        return self._scaled(loss, "scale_loss")

    @uncompiled
    def get_scaled_loss(self, loss: Any) -> Any:
        """Multiplies the loss by the loss scale, as TensorFlow 2.4's protocol has it.

        Args:
            loss: A floating-point tensor of any shape, or a callable that gives one.

        Returns:
            The scaled loss, in the loss's dtype; a callable for a callable, which reads the loss
            scale each time it is called.
        """
        self._protocols.note(Protocol.TENSORFLOW_2_4, "get_scaled_loss")
        if callable(loss):
            return lambda: self._scaled(loss(), "get_scaled_loss")
        return self._scaled(loss, "get_scaled_loss")

    def _multiply(self, loss: Any, method: str) -> Any:
        self._check_not_constant([loss], method)
        if method == "scale_loss":
            return keras.ops.multiply(_at_least_float32(loss), self._current_scale())
        loss = _as_tensor(loss)
        return loss * keras.ops.cast(self._current_scale(), loss.dtype)

    @uncompiled
    def get_unscaled_gradients(self, grads: Iterable[Any]) -> list[Any]:
        """Divides the gradients by the loss scale, as TensorFlow 2.4's protocol has it.

        Args:
            grads: Tensors or `None`, of any floating-point dtype; on TensorFlow,
                `tf.IndexedSlices` too.

        Returns:
            A list as long as `grads`, each of its own dtype and kind; `None` stays `None`.
        """
        self._protocols.note(Protocol.TENSORFLOW_2_4, "get_unscaled_gradients")
        gradients = list(grads)
        self._check_not_constant(gradients, "get_unscaled_gradients")
        variables = self._variables_of(gradients)
        divided = self._unscaled(gradients, variables, self._current_scale())
        return [_as(before, after) for before, after in zip(gradients, divided, strict=True)]

    def _unscaled(
        self, gradients: list[Any], variables: Sequence[Any], scale: Any, **options: Any
    ) -> list[Any]:
        """Divides gradients by the loss scale, but for those that are their variable's value."""
        kept = [private.takes_the_gradient_as_value(variable) for variable in variables]
        divided = self._unscale(
            [None if keep else one for one, keep in zip(gradients, kept, strict=True)],
            scale,
            **options,
        )
        return [
            old if keep else new for old, new, keep in zip(gradients, divided, kept, strict=True)
        ]

    def _variables_of(self, gradients: list[Any]) -> Sequence[Any]:
        """The variables of gradients that are given without any: those it was built for."""
        trained: Sequence[Any] = self.__dict__.get("_trained", ())
        return trained if len(trained) == len(gradients) else [None] * len(gradients)


def _as_tensor(loss: Any) -> Any:
    """Converts a loss to a tensor.

    Raises:
        UnscalableError: It is a bool, or it has no dtype and is not made of Python floats.
    """
    tensor = None if loss is None else keras.ops.convert_to_tensor(loss)
    dtype = "bool" if tensor is None else keras.backend.standardize_dtype(tensor.dtype)
    if dtype == "bool" or not (keras.backend.is_float_dtype(dtype) or hasattr(loss, "dtype")):
        raise UnscalableError(
            f"A loss must be a floating-point tensor, but got: {loss!r}. If it is meant to be one, "
            "convert it by keras.ops.cast(..., 'float32')."
        )
    return tensor


def _at_least_float32(loss: Any) -> Any:
    """A loss in the dtype in which it is scaled. PyTorch would keep that of one with elements."""
    loss = keras.ops.convert_to_tensor(loss)
    return keras.ops.cast(loss, keras.backend.result_type(loss.dtype, "float32"))


def _as(before: Any, after: Any) -> Any:
    """A gradient that was unscaled, in the dtype that it had before."""
    if after is None or after.dtype == before.dtype:
        return after
    return keras.ops.cast(after, before.dtype)
