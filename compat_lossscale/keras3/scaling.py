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
from compat_lossscale.members.guards import GuardsScaling


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
        self._protocols.loss_was_scaled(Protocol.KERAS_3, "scale_loss")
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
        self._protocols.loss_was_scaled(Protocol.TENSORFLOW_2_4, "get_scaled_loss")
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
        self._protocols.gradients_were_unscaled("get_unscaled_gradients")
        gradients = list(grads)
        self._check_not_constant(gradients, "get_unscaled_gradients")
        divided = self._unscaled(gradients, self._variables_of(gradients))
        return [_as(before, after) for before, after in zip(gradients, divided, strict=True)]

    def _unscaled(
        self, gradients: list[Any], variables: Sequence[Any], **options: Any
    ) -> list[Any]:
        """Divides gradients by the loss scale, but for those that are their variable's value.

        Args:
            gradients: The gradients, `None` where there is none.
            variables: Their variables.
            **options: What the backend has to know.
        """
        kept = [private.takes_the_gradient_as_value(variable) for variable in variables]
        divided = self._unscale(
            [None if keep else one for one, keep in zip(gradients, kept, strict=True)],
            self._current_scale(),
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
