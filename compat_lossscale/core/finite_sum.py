# SPDX-License-Identifier: Apache-2.0
"""The sum of many elements, which shows in one pass that all of them are finite.

It reads each tensor once and takes no memory, so it is faster than to ask for each element.
"""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf


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
