# SPDX-License-Identifier: Apache-2.0
"""Scaling losses, unscaling gradients, and asking whether all gradients are finite."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import tensorflow as tf


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


def unscale_gradients(gradients: Iterable[Any], loss_scale: tf.Tensor) -> list[Any]:
    """Divides every gradient by the loss scale.

    Args:
        gradients: Dense tensors, `tf.IndexedSlices` or `None`, of any floating-point dtype.
        loss_scale: The loss scale, a float32 scalar tensor.

    Returns:
        A list as long as `gradients`, each of its own dtype and kind: `None` stays `None`, and
        `tf.IndexedSlices` stay sparse (since TensorFlow 2.3; they became dense before).
    """
    reciprocal = 1.0 / loss_scale
    return [_multiply(gradient, reciprocal) for gradient in gradients]


def _multiply(gradient: Any, factor: tf.Tensor) -> Any:
    if gradient is None:
        return None
    factor = tf.cast(factor, gradient.dtype)
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(gradient.values * factor, gradient.indices, gradient.dense_shape)
    return gradient * factor


def all_finite(gradients: Any) -> tf.Tensor:
    """Asks whether no gradient holds a NaN or an infinity.

    Args:
        gradients: A nested structure of dense tensors, `tf.IndexedSlices` and `None`.

    Returns:
        A bool scalar tensor. No gradients at all count as finite, and `None` is left out.
    """
    values = [
        gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
        for gradient in tf.nest.flatten(gradients)
        if gradient is not None
    ]
    return tf.reduce_all([tf.reduce_all(tf.math.is_finite(value)) for value in values])


def unzip(grads_and_vars: Iterable[tuple[Any, Any]]) -> tuple[list[Any], list[Any]]:
    """Splits pairs of a gradient and a variable into two lists."""
    pairs = list(grads_and_vars)
    return [gradient for gradient, _ in pairs], [variable for _, variable in pairs]
