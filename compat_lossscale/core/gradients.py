# SPDX-License-Identifier: Apache-2.0
"""Scaling losses, unscaling gradients, and asking whether all gradients are finite."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import tensorflow as tf

from compat_lossscale.core.traced import TracedOnce, as_written


@as_written
def scale_loss(loss: Any, loss_scale: Callable[[], tf.Tensor]) -> Any:
    """Multiplies a loss by the loss scale, in the loss's own dtype.

    Args:
        loss: A floating-point tensor of any shape, or a callable without arguments that gives one.
        loss_scale: Gives the current loss scale, a float32 scalar tensor.

    Returns:
        The scaled loss; for a callable, a callable that gives it and reads the loss scale each
        time it is called (as in TensorFlow 2.4; 2.0 to 2.3 read it once).
    """
    if callable(loss):
        unscaled_loss = loss

        def scaled_loss() -> tf.Tensor:
            return scale_loss(unscaled_loss(), loss_scale)

        return scaled_loss
    loss = tf.convert_to_tensor(loss)
    return loss * tf.cast(loss_scale(), loss.dtype)


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
    values = [_values(gradient) for gradient in gradients if gradient is not None]
    if not values:
        return gradients
    unscaled = iter(_divide([loss_scale, *values]))
    return [
        gradient if gradient is None else _with_values(gradient, next(unscaled))
        for gradient in gradients
    ]


def _divide_values(tensors: list[tf.Tensor]) -> list[tf.Tensor]:
    loss_scale, *values = tensors
    reciprocal = 1.0 / loss_scale
    # One cast a dtype, not one a gradient.
    factors = {dtype: tf.cast(reciprocal, dtype) for dtype in {value.dtype for value in values}}
    return [tf.raw_ops.Mul(x=value, y=factors[value.dtype]) for value in values]


_divide = TracedOnce(_divide_values)


@as_written
def all_finite(gradients: Any) -> tf.Tensor:
    """Asks whether no gradient holds a NaN or an infinity.

    Args:
        gradients: A nested structure of dense tensors, `tf.IndexedSlices` and `None`.

    Returns:
        A bool scalar tensor. No gradients at all count as finite, and `None` is left out.
    """
    values = [_values(one) for one in tf.nest.flatten(gradients) if one is not None]
    if not values:
        return tf.constant(True)
    # A sum of squares is finite only if every element is, and takes one pass without a temporary.
    # It may overflow though all are finite; only then is it worth asking exactly.
    return tf.cond(
        _squares_are_finite(values), lambda: tf.constant(True), lambda: _exactly_finite(values)
    )


def _sum_of_squares_is_finite(values: list[tf.Tensor]) -> tf.Tensor:
    sums = [tf.cast(tf.nn.l2_loss(value), tf.float32) for value in values]
    return tf.math.is_finite(tf.add_n(sums))


def _every_element_is_finite(values: list[tf.Tensor]) -> tf.Tensor:
    return tf.reduce_all([tf.reduce_all(tf.math.is_finite(value)) for value in values])


_squares_are_finite = TracedOnce(_sum_of_squares_is_finite)
_exactly_finite = TracedOnce(_every_element_is_finite)


def _values(gradient: Any) -> tf.Tensor:
    values = gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
    return tf.convert_to_tensor(values)


def _with_values(gradient: Any, values: tf.Tensor) -> Any:
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(values, gradient.indices, gradient.dense_shape)
    return values


def unzip(grads_and_vars: Iterable[tuple[Any, Any]]) -> tuple[list[Any], list[Any]]:
    """Splits pairs of a gradient and a variable into two lists."""
    pairs = list(grads_and_vars)
    return [gradient for gradient, _ in pairs], [variable for _, variable in pairs]
