# SPDX-License-Identifier: Apache-2.0
"""Small gradients as one tensor.

To start an operation takes longer than a small tensor's arithmetic, on any device. One operation
on all of them spares that, and one tensor enters a branch of a graph for less than many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import tensorflow as tf

_SMALL = 512
"""Elements up to which copying a tensor costs less than the operations that it spares."""


class Concatenated:
    """Tensors, the small ones among them concatenated by dtype and by the shape of their rows.

    Args:
        tensors: Tensors of any shape and dtype.
        alone: Says which tensors are not to be concatenated, however small.

    Attributes:
        tensors: Fewer tensors, of the same elements.
    """

    def __init__(
        self,
        tensors: Sequence[tf.Tensor],
        alone: Callable[[tf.Tensor], bool] = lambda tensor: False,
    ) -> None:
        groups: dict[Any, list[int]] = {}
        for position, tensor in enumerate(tensors):
            kind = None if alone(tensor) else _kind(tensor)
            groups.setdefault(kind or position, []).append(position)
        self._positions = list(groups.values())
        members = [[tensors[position] for position in group] for group in self._positions]
        self._rows = [[_shape(m)[0] for m in group] if len(group) > 1 else [] for group in members]
        self.tensors = [_concatenate(group) for group in members]

    def split(self, tensors: Iterable[tf.Tensor]) -> list[tf.Tensor]:
        """Splits what was made of `tensors`, each of the same shape, in the order as given."""
        by_position: dict[int, tf.Tensor] = {}
        for tensor, group, rows in zip(tensors, self._positions, self._rows, strict=True):
            parts = tf.split(tensor, rows) if rows else [tensor]
            by_position.update(zip(group, parts, strict=True))
        return [by_position[position] for position in range(len(by_position))]


def _kind(tensor: tf.Tensor) -> tuple[int, ...] | None:
    """What tensors that are concatenated have in common; `None` for one that stays alone."""
    elements = tensor.shape.num_elements()
    # TensorFlow's collective operations crash on an empty part of what is split. Its graph
    # optimizer reorders products of single numbers, but not of parts of what is split.
    if elements is None or not 1 < elements <= _SMALL:
        return None
    return (tensor.dtype.as_datatype_enum, *_shape(tensor)[1:])


def _shape(tensor: tf.Tensor) -> list[int]:
    # Of numbers, also in programs of TensorFlow 1, where a shape is of dimensions.
    shape: list[int] = tensor.shape.as_list()
    return shape


def _concatenate(tensors: Sequence[tf.Tensor]) -> tf.Tensor:
    if len(tensors) == 1:
        return tensors[0]
    if tf.is_symbolic_tensor(tensors[0]) and _are_outputs_of(tensors[0].op, tensors):
        return tensors[0].op.inputs[0]
    return tf.concat(tensors, axis=0)


def _are_outputs_of(split: tf.Operation, tensors: Sequence[tf.Tensor]) -> bool:
    """Whether tensors are all that an operation split a tensor into along its first axis."""
    return (
        split.type == "SplitV"
        and len(split.outputs) == len(tensors)
        and all(output is tensor for output, tensor in zip(split.outputs, tensors, strict=True))
        and tf.get_static_value(split.inputs[2]) == 0
    )
