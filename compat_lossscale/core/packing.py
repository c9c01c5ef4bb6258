# SPDX-License-Identifier: Apache-2.0
"""Many short tensors as one.

To start an operation takes longer than a short tensor's arithmetic. One operation on all of them
spares that, and one tensor goes into a branch of a graph more cheaply than many.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import tensorflow as tf

Kind: TypeAlias = tuple[tf.DType, tuple[int, ...]]

_SHORT = 512
"""Elements up to which copying a tensor costs less than the operations that it spares."""


def short_kind(tensor: tf.Tensor) -> Kind | None:
    """Says which tensors a short tensor can be joined with: those of the same kind.

    Args:
        tensor: Of any shape and dtype; its shape must be known while tracing.

    Returns:
        Its dtype and the shape of its rows; `None` for a tensor that is not worth joining.
    """
    shape = tensor.shape
    if not shape.rank or not shape.is_fully_defined() or shape.num_elements() > _SHORT:
        return None
    return tensor.dtype, tuple(shape[1:])


def join(tensors: Sequence[tf.Tensor]) -> tf.Tensor:
    """Puts tensors of one kind below each other, along the first axis."""
    return tensors[0] if len(tensors) == 1 else tf.raw_ops.ConcatV2(values=tensors, axis=0)


def split(tensor: tf.Tensor, sizes: Sequence[int]) -> list[tf.Tensor]:
    """Takes apart what `join` made of tensors with these numbers of rows."""
    if len(sizes) == 1:
        return [tensor]
    return list(tf.raw_ops.SplitV(value=tensor, size_splits=sizes, axis=0, num_split=len(sizes)))


def with_short_ones_joined(tensors: Sequence[tf.Tensor]) -> list[tf.Tensor]:
    """Returns fewer tensors with the same elements."""
    kinds: dict[Kind | None, list[tf.Tensor]] = {}
    for tensor in tensors:
        kinds.setdefault(short_kind(tensor), []).append(tensor)
    return [*kinds.pop(None, []), *(join(alike) for alike in kinds.values())]
