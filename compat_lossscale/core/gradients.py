# SPDX-License-Identifier: Apache-2.0
"""Scaling losses, unscaling gradients, and asking whether all gradients are finite."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import tensorflow as tf
from tensorflow.python.framework.ops import SymbolicTensor

from compat_lossscale.core.deferred import factors_of, unscale_in_graph
from compat_lossscale.core.finite import every_element_is_finite
from compat_lossscale.core.packing import Joined
from compat_lossscale.core.traced import TracedOnce, as_written
from compat_lossscale.core.verdicts import known_to_be_finite, note_verdict


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
def unscale_gradients(
    gradients: Iterable[Any], loss_scale: tf.Tensor, *, judge: bool = False
) -> list[Any]:
    """Divides every gradient by the loss scale.

    Args:
        gradients: Dense tensors, `tf.IndexedSlices` or `None`, of any floating-point dtype.
        loss_scale: The loss scale, a float32 scalar tensor.
        judge: Whether `all_finite` will be asked about them, and had better know beforehand.

    Returns:
        A list as long as `gradients`, each of its own dtype and kind: `None` stays `None`, and
        `tf.IndexedSlices` stay sparse (since TensorFlow 2.3; they became dense before).
    """
    gradients = list(gradients)
    values = [values_of(gradient) for gradient in gradients if gradient is not None]
    if not values:
        return gradients
    if tf.executing_eagerly():
        unscaled = _unscale_eagerly(values, loss_scale, judge=judge)
    else:
        unscaled = unscale_in_graph(values, loss_scale)
    return with_values(gradients, unscaled)


@as_written
def all_finite(gradients: Any) -> tf.Tensor:
    """Asks whether no gradient holds a NaN or an infinity.

    Args:
        gradients: A nested structure of dense tensors, `tf.IndexedSlices` and `None`.

    Returns:
        A bool scalar tensor. No gradients at all count as finite, and `None` is left out.
    """
    values = [values_of(one) for one in tf.nest.flatten(gradients) if one is not None]
    if not values or (tf.executing_eagerly() and known_to_be_finite(values)):
        return tf.constant(True)
    return every_element_is_finite(Joined(values).tensors)


def _unscale_eagerly(
    values: list[tf.Tensor], loss_scale: tf.Tensor, *, judge: bool
) -> list[tf.Tensor]:
    joined = Joined(values)
    if not (judge and all(value.dtype in _JUDGED for value in values)):
        return joined.apart(_divide([loss_scale, *joined.tensors]))
    *divided, finite = _divide_and_judge([loss_scale, *joined.tensors])
    unscaled = joined.apart(divided)
    note_verdict(unscaled, finite)
    return unscaled


def _divide_values(tensors: list[tf.Tensor]) -> list[tf.Tensor]:
    loss_scale, *values = tensors
    factors = factors_of(loss_scale, values)
    return [tf.raw_ops.Mul(x=value, y=factors[value.dtype]) for value in values]


def _divide_and_judge_values(tensors: list[tf.Tensor]) -> list[tf.Tensor]:
    divided = _divide_values(tensors)
    return [*divided, every_element_is_finite(divided)]


_JUDGED = {tf.float32, tf.float64, tf.bfloat16}
"""Not float16: such gradients are cast before they are applied, and what comes of it is judged."""
_divide = TracedOnce(_divide_values)
_divide_and_judge = TracedOnce(_divide_and_judge_values)


_TENSORS = {tf.__internal__.EagerTensor, SymbolicTensor}


def values_of(gradient: Any) -> tf.Tensor:
    """The tensor of a dense gradient; the values of a sparse one."""
    # To find out that nothing is to be done takes longer than all that is done to a short tensor.
    if type(gradient) in _TENSORS:
        return gradient
    values = gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
    return values if type(values) in _TENSORS else tf.convert_to_tensor(values)


def with_values(gradients: Iterable[Any], values: Iterable[tf.Tensor]) -> list[Any]:
    """Gradients like others, but of other values; `None` stays `None` and has no value."""
    given = iter(values)
    return [
        None if gradient is None else _with_values(gradient, next(given)) for gradient in gradients
    ]


def _with_values(gradient: Any, values: tf.Tensor) -> Any:
    if type(gradient) not in _TENSORS and isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(values, gradient.indices, gradient.dense_shape)
    return values


def unzip(grads_and_vars: Iterable[tuple[Any, Any]]) -> tuple[list[Any], list[Any]]:
    """Splits pairs of a gradient and a variable into two lists."""
    pairs = list(grads_and_vars)
    return [gradient for gradient, _ in pairs], [variable for _, variable in pairs]
