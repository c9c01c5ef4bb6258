# SPDX-License-Identifier: Apache-2.0
"""Many short vectors as one.

To start an operation takes longer than a short vector's arithmetic. One operation on all of them
spares that, and one tensor goes into a branch of a graph more cheaply than many.
"""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf

_SHORT = 512
"""Elements up to which copying a vector costs less than the operations that it spares."""


def is_short_vector(tensor: tf.Tensor) -> bool:
    """Whether a tensor is worth joining with others; its size must be known while tracing.

    Tensors of other shapes are not: they would have to be reshaped, before and after.
    """
    return tensor.shape.rank == 1 and tensor.shape[0] is not None and tensor.shape[0] <= _SHORT


def join(vectors: Sequence[tf.Tensor]) -> tf.Tensor:
    """Joins vectors of one dtype and of known sizes into one."""
    return vectors[0] if len(vectors) == 1 else tf.raw_ops.ConcatV2(values=vectors, axis=0)


def split(vector: tf.Tensor, sizes: Sequence[int]) -> list[tf.Tensor]:
    """Takes apart what `join` made of vectors of these sizes."""
    if len(sizes) == 1:
        return [vector]
    return list(tf.raw_ops.SplitV(value=vector, size_splits=sizes, axis=0, num_split=len(sizes)))
