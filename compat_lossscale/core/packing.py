# SPDX-License-Identifier: Apache-2.0
"""Many small tensors as one.

To start an operation takes longer than a small tensor's arithmetic. One operation on all of them
spares that, and one tensor goes into a branch of a graph more cheaply than many.
"""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf

_SMALL = 4096
"""Elements up to which copying a tensor costs less than the operations that it spares."""


def is_small(tensor: tf.Tensor) -> bool:
    """Whether a tensor's size is known while tracing, and small."""
    elements = tensor.shape.num_elements()
    return elements is not None and elements <= _SMALL


def pack(tensors: Sequence[tf.Tensor]) -> tf.Tensor:
    """Joins tensors of one dtype and of known shapes into one vector."""
    vectors = [
        tensor if tensor.shape.rank == 1 else tf.raw_ops.Reshape(tensor=tensor, shape=[-1])
        for tensor in tensors
    ]
    return vectors[0] if len(vectors) == 1 else tf.raw_ops.ConcatV2(values=vectors, axis=0)


def unpack(vector: tf.Tensor, shapes: Sequence[tf.TensorShape]) -> list[tf.Tensor]:
    """Takes the vector that `pack` made apart into tensors of these shapes."""
    sizes = [shape.num_elements() for shape in shapes]
    parts = tf.raw_ops.SplitV(value=vector, size_splits=sizes, axis=0, num_split=len(sizes))
    return [
        part if shape.rank == 1 else tf.raw_ops.Reshape(tensor=part, shape=shape)
        for part, shape in zip(parts, shapes, strict=True)
    ]
