# SPDX-License-Identifier: Apache-2.0
"""Unscaling gradients, and asking whether all of them are finite, in few operations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import tensorflow as tf

from compat_lossscale.core import reference
from compat_lossscale.core.concatenation import Concatenated
from compat_lossscale.core.deferral import unscale_now_or_later
from compat_lossscale.core.finite_sum import can_be_summed, total
from compat_lossscale.core.reassociation import may_be_reassociated
from compat_lossscale.core.tracing import OneCall, as_written

_LARGE = 2**17
"""Elements from which a division takes longer than to start it. In one call with others, divisions
of so many elements took up to three times as long on one of two processors."""


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
    gradients = list(gradients)
    # A loss scale that is a constant of a graph is folded into what it meets there. A gradient
    # that meets it alone, as in the reference, comes out the same to the bit.
    if reference.is_used or (
        not tf.executing_eagerly() and tf.get_static_value(loss_scale) is not None
    ):
        return reference.unscale_gradients(gradients, loss_scale)
    values = values_of(gradients)
    if not values:
        return gradients
    if tf.executing_eagerly():
        concatenated = Concatenated(values)
        unscaled = _divide_eagerly(concatenated.tensors, loss_scale)
    else:
        concatenated = Concatenated(values, alone=may_be_reassociated)
        unscaled = unscale_now_or_later(concatenated.tensors, loss_scale)
    return with_values(gradients, concatenated.split(unscaled))


def _divide_eagerly(tensors: list[tf.Tensor], loss_scale: tf.Tensor) -> list[Any]:
    large = [one for one in tensors if _is_large(one)]
    if not large:
        unscaled: list[Any] = _divide([loss_scale, *tensors])
        return unscaled
    small = (one for one in tensors if not _is_large(one))
    divided = iter(reference.unscale_gradients(large, loss_scale))
    others = iter(_divide([loss_scale, *small]))
    return [next(divided if _is_large(one) else others) for one in tensors]


def _is_large(tensor: tf.Tensor) -> bool:
    return int(tensor.shape.num_elements()) >= _LARGE


def _divided(tensors: list[tf.Tensor]) -> list[Any]:
    loss_scale, *values = tensors
    return reference.unscale_gradients(values, loss_scale)


def _may_be_summed(tensors: list[tf.Tensor]) -> bool:
    # In eager mode the program can look at the sum.
    return (
        tf.executing_eagerly()
        and any(_is_large(one) for one in tensors)
        and all(can_be_summed(one) for one in tensors)
    )


_divide = OneCall(_divided)
_sum = OneCall(total)
_ask = OneCall(reference.every_element_is_finite)


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
    tensors = Concatenated(values).tensors
    if _may_be_summed(tensors) and tf.math.is_finite(_sum(tensors)):
        return tf.constant(True)
    finite: tf.Tensor = _ask(tensors)
    return finite


def values_of(gradients: Iterable[Any]) -> list[tf.Tensor]:
    """The tensors of dense gradients and the values of sparse ones; `None` is left out."""
    values = (one.values if isinstance(one, tf.IndexedSlices) else one for one in gradients)
    return [
        one if isinstance(one, tf.Tensor) else tf.convert_to_tensor(one)
        for one in values
        if one is not None
    ]


def with_values(gradients: Sequence[Any], values: Iterable[tf.Tensor]) -> list[Any]:
    """Gradients like others, but of other values; `None` stays `None` and has no value."""
    given = iter(values)
    return [None if one is None else _with_value(one, next(given)) for one in gradients]


def _with_value(gradient: Any, value: tf.Tensor) -> Any:
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(value, gradient.indices, gradient.dense_shape)
    return value


def unzip(grads_and_vars: Iterable[tuple[Any, Any]]) -> tuple[list[Any], list[Any]]:
    """Splits pairs of a gradient and a variable into two lists."""
    pairs = list(grads_and_vars)
    return [gradient for gradient, _ in pairs], [variable for _, variable in pairs]
