# SPDX-License-Identifier: Apache-2.0
"""What a step computes, as the textbook has it, in public TensorFlow alone. Read this first.

    scaled loss  = loss * loss scale
    gradients    = derivatives of the scaled loss / loss scale
    if no gradient holds a NaN or an infinity:
        apply the gradients
    loss scale   = next_state(loss scale, whether they were applied)

The functions here are the first three lines, `step.py` is the branch, and `next_state` is in
`compat_lossscale.spec`. `gradients.py` does the same as the functions here, to the bit, in fewer
operations. Set the environment variable `COMPAT_LOSSSCALE_REFERENCE=1` to use
these instead.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

import tensorflow as tf

from compat_lossscale.core.tracing import as_written
from compat_lossscale.errors import UnscalableError

is_used = os.environ.get("COMPAT_LOSSSCALE_REFERENCE") == "1"
"""Whether the functions of this module are used instead of the faster ones."""


@as_written
def scale_loss(loss: Any, loss_scale: Callable[[], tf.Tensor]) -> Any:
    """Multiplies a loss by the loss scale, in the loss's own dtype.

    Args:
        loss: A floating-point tensor of any shape, which may be ragged or sparse, or a callable
            without arguments that gives one.
        loss_scale: Gives the current loss scale, a float32 scalar tensor.

    Returns:
        The scaled loss; for a callable, a callable that gives it and reads the loss scale each
        time it is called (as in TensorFlow 2.4; 2.0 to 2.3 read it once).
    """
    if callable(loss):
        return as_written(lambda: scale_loss(loss(), loss_scale))
    loss = as_tensor(loss)
    return loss * tf.cast(loss_scale(), loss.dtype)


def unscale_gradients(gradients: Iterable[Any], loss_scale: tf.Tensor) -> list[Any]:
    """Divides gradients by the loss scale; see `compat_lossscale.core.unscale_gradients`."""
    reciprocal = 1.0 / loss_scale
    return [None if one is None else _multiply(one, reciprocal) for one in gradients]


def _multiply(gradient: Any, factor: tf.Tensor) -> Any:
    if isinstance(gradient, tf.IndexedSlices):
        values = _multiply(gradient.values, factor)
        return tf.IndexedSlices(values, gradient.indices, gradient.dense_shape)
    gradient = as_tensor(gradient)
    return gradient * tf.cast(factor, gradient.dtype)


def as_tensor(value: Any) -> Any:
    """Converts a value to a tensor. A ragged or sparse tensor is one, and stays what it is.

    Raises:
        UnscalableError: It is a bool, or it has no dtype and is not made of Python floats.
    """
    is_composite = isinstance(value, tf.RaggedTensor | tf.SparseTensor)
    tensor = value if is_composite else None if value is None else tf.convert_to_tensor(value)
    dtype = None if tensor is None else tensor.dtype
    if dtype is None or dtype.is_bool or not (dtype.is_floating or hasattr(value, "dtype")):
        raise UnscalableError(
            f"A loss or a gradient must be a floating-point tensor, but got: {value!r}. If it is "
            "meant to be one, convert it by tf.cast(..., tf.float32)."
        )
    return tensor


def every_element_is_finite(tensors: Iterable[tf.Tensor]) -> tf.Tensor:
    """Whether no tensor holds a NaN or an infinity, a bool scalar tensor; of none, it is true."""
    finite = [tf.reduce_all(tf.math.is_finite(tensor)) for tensor in tensors]
    return finite[0] if len(finite) == 1 else tf.reduce_all(finite or True)
