# SPDX-License-Identifier: Apache-2.0
"""Whether all elements of tensors are finite, in few operations and few passes over the memory.

A finite sum shows that all elements of a large tensor are finite. It reads the tensor once and
takes no memory, so it is faster than to ask for each element.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
    is_large = any(map(_is_large, tensors)) and not private.compiled_by_xla()
    finite: tf.Tensor = (_ask_by_sum if is_large else _ask)(tensors)
    return finite


def finite_by_sum(
    tensors: Sequence[tf.Tensor],
    certain: Sequence[tf.Tensor],
    products: Callable[[], Sequence[tf.Tensor]],
) -> tf.Tensor:
    """Whether no product holds a NaN or an infinity; looks at the products only if need be.

    Args:
        tensors: Tensors of any shape and floating-point dtype.
        certain: Bool scalar tensors: whether a product of a finite element is finite in any case.
        products: Gives the tensors in question: `tensors`, or products of them.

    Returns:
        A bool scalar tensor.
    """
    summed = [one for one in tensors if _can_be_summed(one)]
    others = [one for one in tensors if not _can_be_summed(one)]
    if summed:
        total = tf.add_n([tf.cast(tf.reduce_sum(one), tf.float32) for one in summed])
        certain = [*certain, tf.math.is_finite(total)]
    return tf.cond(
        tf.reduce_all(certain),
        lambda: reference.every_element_is_finite(others),
        # An element is not finite, or a sum of finite ones overflows.
        lambda: reference.every_element_is_finite(products()),
        name="cond/all_finite",  # See `graph_names`.
    )


def _can_be_summed(tensor: tf.Tensor) -> bool:
    return bool(tensor.dtype != tf.float16)  # Sums of float16 often overflow.


def _is_large(tensor: tf.Tensor) -> bool:
    elements = tensor.shape.num_elements()
    return elements is not None and int(elements) >= _LARGE and _can_be_summed(tensor)


_ask = OneCall(reference.every_element_is_finite)
_ask_by_sum = OneCall(lambda tensors: finite_by_sum(tensors, [], lambda: tensors))
