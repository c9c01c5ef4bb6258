# SPDX-License-Identifier: Apache-2.0
"""Scaling of losses and unscaling of gradients on Keras 3, with the guards against mistakes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import keras

from compat_lossscale.errors import UnscalableError
from compat_lossscale.keras3 import private
from compat_lossscale.keras3.backends import uncompiled
from compat_lossscale.keras3.protocols import Protocol, ProtocolRecord
from compat_lossscale.steps.guards import MisuseGuards


class ScalesWithGuards:
    """Adds guarded scaling to an optimizer whose `Steps` are those of a backend."""

    _guards: MisuseGuards
    _protocols: ProtocolRecord
    _knows_functions: bool
    _current_scale: Callable[[], Any]
    _fixed_scale: Callable[[], float | None]
    _unscale: Callable[[list[Any], Any], list[Any]]
    _check_range: Callable[[Any, Any], None]
    _check_unaltered: Callable[[list[Any], str], None]

    @uncompiled
    def scale_loss(self, loss: Any) -> Any:
        """Multiplies the loss by the loss scale, as Keras 3's protocol has it.

        Args:
            loss: A floating-point tensor of any shape.

        Returns:
            The scaled loss. A float16 loss becomes float32, in which the product is finite.
        """
        self._protocols.loss_was_scaled(Protocol.KERAS_3, "scale_loss")
        self._guards.order.note("scale_loss")
        self._guards.check_loss(loss, "scale_loss", self._fixed_scale)
        scaled = keras.ops.multiply(loss, self._current_scale())
        self._guards.note_scaled(scaled)
        return scaled

    @uncompiled
    def get_scaled_loss(self, loss: Any) -> Any:
        """Multiplies the loss by the loss scale, as TensorFlow 2.4's protocol has it.

        Args:
            loss: A floating-point tensor of any shape, or a callable that gives one.

        Returns:
            The scaled loss, in the loss's dtype; a callable for a callable, which reads the loss
            scale each time it is called.
        """
        self._protocols.loss_was_scaled(Protocol.TENSORFLOW_2_4, "get_scaled_loss")
        self._guards.order.note("get_scaled_loss")
        if callable(loss):
            return lambda: self._scaled(loss())
        return self._scaled(loss)

    def _scaled(self, loss: Any) -> Any:
        self._guards.check_loss(loss, "get_scaled_loss", self._fixed_scale)
        loss = _as_tensor(loss)
        scaled = loss * keras.ops.cast(self._current_scale(), loss.dtype)
        self._guards.note_scaled(scaled)
        if keras.backend.standardize_dtype(scaled.dtype) == "float16":
            self._check_range(loss, scaled)
        return scaled

    @uncompiled
    def get_unscaled_gradients(self, grads: Iterable[Any]) -> list[Any]:
        """Divides the gradients by the loss scale, as TensorFlow 2.4's protocol has it.

        Args:
            grads: Tensors or `None`, of any floating-point dtype; on TensorFlow,
                `tf.IndexedSlices` too.

        Returns:
            A list as long as `grads`, each of its own dtype and kind; `None` stays `None`.
        """
        self._protocols.gradients_were_unscaled("get_unscaled_gradients")
        self._guards.order.note("get_unscaled_gradients")
        gradients = list(grads)
        unscaled = self._unscaled(
            gradients, self._variables_of(gradients), "get_unscaled_gradients"
        )
        self._guards.note_unscaled(gradients, unscaled)
        return unscaled

    def _check_step(self, gradients: list[Any], scaled: bool, method: str) -> None:
        """Warns of mistakes in a step that is about to apply gradients."""
        guards, protocols = self._guards, self._protocols
        if not scaled:
            guards.check_applied_once(gradients, method, self._fixed_scale)
        if not self._knows_functions:
            return
        if scaled:
            guards.check_scaled(method, self._fixed_scale, ever=protocols.has_scaled)
        else:
            guards.check_unscaled(method, ever=protocols.has_unscaled)

    def _unscaled(self, gradients: list[Any], variables: Sequence[Any], method: str) -> list[Any]:
        """Divides gradients by the loss scale, for a method that was called."""
        self._guards.check_gradients(gradients, method, self._fixed_scale)
        self._check_unaltered(gradients, method)
        kept = [private.takes_the_gradient_as_value(variable) for variable in variables]
        divided = self._unscale(
            [None if keep else one for one, keep in zip(gradients, kept, strict=True)],
            self._current_scale(),
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
