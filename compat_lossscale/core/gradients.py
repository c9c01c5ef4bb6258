# SPDX-License-Identifier: Apache-2.0
"""Unscaling gradients, and asking whether all of them are finite, in few operations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import tensorflow as tf

from compat_lossscale.core import reference
from compat_lossscale.core.concatenation import Concatenated
from compat_lossscale.core.finite_check import every_element_is_finite
from compat_lossscale.core.tracing import as_written


@as_written
def unscale_gradients(gradients: Iterable[Any], loss_scale: tf.Tensor) -> list[Any]:
    """Divides every gradient by the loss scale.

    Args:
        gradients: Dense tensors, `tf.IndexedSlices` or `None`, of any floating-point dtype.
        loss_scale: The loss scale, a float32 scalar tensor.

    Returns:
        A list as long as `gradients`, each of its own dtype and kind: `None` stays `None`, and
        `tf.IndexedSlices` stay sparse (since TensorFlow 2.3; they became dense before).
    """
    if not tf.executing_eagerly():
        return reference.unscale_gradients(gradients, loss_scale)
    gradients = list(gradients)
    return with_values(gradients, _unscale_eagerly(values_of(gradients), loss_scale))


def _unscale_eagerly(tensors: list[tf.Tensor], loss_scale: tf.Tensor) -> list[tf.Tensor]:
    """As in a graph, with one factor for each dtype, and without what Python adds."""
    reciprocal = 1.0 / loss_scale
    factors = {dtype: tf.cast(reciprocal, dtype) for dtype in {one.dtype for one in tensors}}
    return [tf.raw_ops.Mul(x=one, y=factors[one.dtype]) for one in tensors]


@as_written
def all_finite(gradients: Any) -> tf.Tensor:
    """Asks whether no gradient holds a NaN or an infinity.

    Args:
        gradients: A nested structure of dense tensors, `tf.IndexedSlices` and `None`.

    Returns:
        A bool scalar tensor. No gradients at all count as finite, and `None` is left out.
    """
    values = values_of(tf.nest.flatten(gradients))
    if reference.is_used:
        return reference.every_element_is_finite(values)
    return every_element_is_finite(Concatenated(values).tensors)


def values_of(gradients: Iterable[Any]) -> list[tf.Tensor]:
    """The tensors of dense gradients, the values of sparse and ragged ones; `None` is left out."""
    return [_value(one) for one in gradients if one is not None]


def _value(gradient: Any) -> tf.Tensor:
    if isinstance(gradient, tf.Tensor):
        return gradient
    if isinstance(gradient, tf.IndexedSlices | tf.SparseTensor):
        return gradient.values
    if isinstance(gradient, tf.RaggedTensor):
        return gradient.flat_values
    tensor: tf.Tensor = reference.as_tensor(gradient)
    return tensor


def with_values(gradients: Sequence[Any], values: Iterable[tf.Tensor]) -> list[Any]:
    """Gradients like others, but of other values; `None` stays `None` and has no value."""
    given = iter(values)
    return [None if one is None else _with_value(one, next(given)) for one in gradients]


def _with_value(gradient: Any, value: tf.Tensor) -> Any:
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(value, gradient.indices, gradient.dense_shape)
    if isinstance(gradient, tf.SparseTensor):
        return tf.SparseTensor(gradient.indices, value, gradient.dense_shape)
    if isinstance(gradient, tf.RaggedTensor):
        return gradient.with_flat_values(value)
    return value


def unzip(grads_and_vars: Iterable[tuple[Any, Any]]) -> tuple[list[Any], list[Any]]:
    """Splits pairs of a gradient and a variable into two lists."""
    pairs = list(grads_and_vars)
    return [gradient for gradient, _ in pairs], [variable for _, variable in pairs]
