# SPDX-License-Identifier: Apache-2.0
"""Many short tensors as one.

To start an operation takes longer than a short tensor's arithmetic. One operation on all of them
spares that, and one tensor goes into a branch of a graph more cheaply than many.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import tensorflow as tf

Kind: TypeAlias = tuple[tf.DType, tuple[int, ...]]

_SHORT = 512
"""Elements up to which copying a tensor costs less than the operations that it spares."""
_TOGETHER = 64
"""How many a graph joins: several such joined tensors give each processor one to work on."""


def short_kind(tensor: tf.Tensor) -> Kind | None:
    """Says which tensors a short tensor can be joined with: those of the same kind.

    Args:
        tensor: Of any shape and dtype; its shape must be known while tracing.

    Returns:
        Its dtype and the shape of its rows; `None` for a tensor that is not worth joining.
    """
    shape = _shape_of(tensor)
    if not shape or None in shape or math.prod(shape) > _SHORT:
        return None
    return tensor.dtype, shape[1:]


def join(tensors: Sequence[tf.Tensor]) -> tf.Tensor:
    """Puts tensors of one kind below each other, along the first axis."""
    return tensors[0] if len(tensors) == 1 else tf.raw_ops.ConcatV2(values=tensors, axis=0)


def split(tensor: tf.Tensor, sizes: Sequence[int]) -> list[tf.Tensor]:
    """Takes apart what `join` made of tensors with these numbers of rows."""
    if len(sizes) == 1:
        return [tensor]
    return list(tf.raw_ops.SplitV(value=tensor, size_splits=sizes, axis=0, num_split=len(sizes)))


def members_of(joined: tf.Tensor, split: Any) -> list[tf.Tensor]:
    """Finds the tensors of a graph that `join` made one tensor of, and `split` made again.

    Args:
        joined: What may be joined.
        split: The operation that takes apart something of that shape.

    Returns:
        As many tensors as the operation has outputs, of the same shapes; none if they are not that.
    """
    if joined.op.type != "ConcatV2" or split.type != "SplitV":
        return []
    *members, axis = joined.op.inputs
    is_by_rows = tf.get_static_value(axis) == 0 == tf.get_static_value(split.inputs[2])
    shapes = [list(map(_shape_of, tensors)) for tensors in (members, split.outputs)]
    return members if is_by_rows and shapes[0] == shapes[1] else []


def alike(kinds: Iterable[Any]) -> list[list[int]]:
    """Returns which positions are to be together: those of a kind, and those of `None` alone.

    In a graph those of a kind are shared out evenly to as few groups as may be. In eager mode they
    all are together, as there an operation takes longer to start than to run.
    """
    groups: dict[Any, list[int]] = {}
    for position, kind in enumerate(kinds):
        groups.setdefault(position if kind is None else kind, []).append(position)
    if tf.executing_eagerly():
        return list(groups.values())
    return [some for group in groups.values() for some in _shared_out(group)]


def _shared_out(positions: list[int]) -> list[list[int]]:
    groups = math.ceil(len(positions) / _TOGETHER)
    size = math.ceil(len(positions) / groups)
    return [positions[start : start + size] for start in range(0, len(positions), size)]


def rows_of(tensors: Sequence[tf.Tensor]) -> list[int]:
    """The numbers of rows of tensors that are joined; one alone is not asked for its shape."""
    return [_shape_of(tensor)[0] for tensor in tensors] if len(tensors) > 1 else [1]


class Joined:
    """Tensors, the short ones among them joined by their kinds.

    Args:
        given: The tensors.

    Attributes:
        tensors: Fewer tensors, with the same elements.
    """

    def __init__(self, given: Sequence[tf.Tensor]) -> None:
        self._positions = alike(map(short_kind, given))
        members = [[given[position] for position in together] for together in self._positions]
        self._rows = list(map(rows_of, members))
        self.tensors = list(map(join, members))

    def apart(self, tensors: Iterable[tf.Tensor]) -> list[tf.Tensor]:
        """Takes apart what was made of `tensors`, each of the same shape, as they were given."""
        found: dict[int, tf.Tensor] = {}
        for tensor, together, rows in zip(tensors, self._positions, self._rows, strict=True):
            found.update(zip(together, split(tensor, rows), strict=True))
        return [found[position] for position in range(len(found))]


def _shape_of(tensor: tf.Tensor) -> Any:
    """A tensor's shape as a tuple, or `None`; `tensor.shape` takes a dozen times as long."""
    return tensor._shape_tuple()
