# SPDX-License-Identifier: Apache-2.0
"""Whether all elements of tensors are finite, in few operations and few passes over the memory.

A finite sum shows that all elements of a large tensor are finite. It reads the tensor once and
takes no memory, so it is faster than to ask for each element.
"""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf

from compat_lossscale.core import private, reference
from compat_lossscale.core.tracing import OneCall

_LARGE = 2**17
"""Elements from which a sum takes less time than to ask for each, and pays for the branch."""


def every_element_is_finite(tensors: Sequence[tf.Tensor]) -> tf.Tensor:
    """Whether no tensor holds a NaN or an infinity.

    Args:
        tensors: Tensors of any shape and floating-point dtype.

    Returns:
        A bool scalar tensor; of no tensors, it is true.
    """
    summed = [one for one in tensors if can_be_summed(one)]
    if private.compiled_by_xla() or not any(_is_large(one) for one in summed):
        return _ask(tensors)
    finite: tf.Tensor = _ask_sum(summed)
    others = [one for one in tensors if not can_be_summed(one)]
    return tf.logical_and(finite, _ask(others)) if others else finite


def can_be_summed(tensor: tf.Tensor) -> bool:
    """Whether a sum says much about the elements of this dtype: sums of float16 often overflow."""
    return bool(tensor.dtype != tf.float16)


def total(tensors: Sequence[tf.Tensor]) -> tf.Tensor:
    """Adds up the elements of all tensors.

    Args:
        tensors: One tensor or more, of any shape and floating-point dtype.

    Returns:
        A float32 scalar tensor. If it is finite, so is every element. If not, it may have
        overflowed.
    """
    return tf.add_n([tf.cast(tf.reduce_sum(one), tf.float32) for one in tensors])


def _is_large(tensor: tf.Tensor) -> bool:
    elements = tensor.shape.num_elements()
    return elements is not None and int(elements) >= _LARGE


def _sum_or_every_element_is_finite(tensors: list[tf.Tensor]) -> tf.Tensor:
    return tf.cond(
        tf.math.is_finite(total(tensors)),
        lambda: tf.constant(True),
        lambda: reference.every_element_is_finite(tensors),
        name="cond/all_finite",  # See `graph_names`.
    )


_ask = OneCall(reference.every_element_is_finite)
_ask_sum = OneCall(_sum_or_every_element_is_finite)
