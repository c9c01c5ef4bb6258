# SPDX-License-Identifier: Apache-2.0
"""In a graph, gradients are unscaled only once it is decided that they are applied.

A step asks whether its gradients are finite, and then applies them or not. Asked of the scaled
gradients the answer is the same, so unscaling can wait for it. A skipped step then does not
unscale, and an applied one does not hold the unscaled gradients all at once: each goes from its
multiplication to its variable while the processor's cache has it.
"""

from __future__ import annotations

import dataclasses
import weakref
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import tensorflow as tf

from compat_lossscale.core.finite import every_element_is_finite
from compat_lossscale.core.packing import is_short_vector, join, split

_factors: weakref.WeakSet[Any] = weakref.WeakSet()
"""The operations that made the factors of `unscale_in_graph`."""


def unscale_in_graph(values: Sequence[tf.Tensor], loss_scale: tf.Tensor) -> list[tf.Tensor]:
    """Divides tensors of a graph by the loss scale, the short vectors among them all at once.

    Args:
        values: Tensors of any shape and floating-point dtype.
        loss_scale: The loss scale, a float32 scalar tensor.

    Returns:
        Tensors of the same shapes and dtypes.
    """
    reciprocal = 1.0 / loss_scale
    # One cast a dtype, not one a gradient.
    factors = {dtype: tf.cast(reciprocal, dtype) for dtype in {value.dtype for value in values}}
    _factors.update(factor.op for factor in factors.values())
    vectors = _grouped(
        (value.dtype, position) for position, value in enumerate(values) if is_short_vector(value)
    )
    unscaled: dict[int, tf.Tensor] = {}
    for dtype, positions in vectors.items():
        joined = join([values[position] for position in positions])
        sizes = [values[position].shape[0] for position in positions]
        parts = split(tf.raw_ops.Mul(x=joined, y=factors[dtype]), sizes)
        unscaled.update(zip(positions, parts, strict=True))
    return [
        unscaled[position]
        if position in unscaled
        else tf.raw_ops.Mul(x=value, y=factors[value.dtype])
        for position, value in enumerate(values)
    ]


@dataclasses.dataclass(frozen=True)
class _Piece:
    """Tensors that are checked and unscaled together.

    Attributes:
        tensor: The tensor, or the vector of them all.
        factor: What to multiply it by; `None` if nothing.
        positions: Which of the step's tensors it stands for.
        sizes: Their sizes, if it is a vector of several.
    """

    tensor: tf.Tensor
    factor: tf.Tensor | None
    positions: list[int]
    sizes: list[int] | None = None

    def unscaled(self) -> list[tf.Tensor]:
        """The tensors that it stands for."""
        tensor = self.tensor
        if self.factor is not None:
            tensor = tf.raw_ops.Mul(x=tensor, y=self.factor)
        return [tensor] if self.sizes is None else split(tensor, self.sizes)


class DeferredUnscaling:
    """A step's tensors, traced back to what `unscale_in_graph` made them from.

    Args:
        values: Tensors of the graph that is being built.
    """

    def __init__(self, values: Sequence[tf.Tensor]) -> None:
        self._pieces: list[_Piece] = []
        parts = _grouped(
            (value.op, position)
            for position, value in enumerate(values)
            if _is_unscaled_whole(value.op)
        )
        whole = {
            op: positions for op, positions in parts.items() if _is_all_of(op, positions, values)
        }
        short = defaultdict(list)
        for position, value in enumerate(values):
            if value.op in whole:
                continue
            tensor, factor = _scaled(value)
            if is_short_vector(tensor):
                short[tensor.dtype, None if factor is None else factor.ref()].append(
                    (position, tensor)
                )
            else:
                self._pieces.append(_Piece(tensor, factor, [position]))
        for (_, factor), members in short.items():
            positions = [position for position, _ in members]
            vectors = [vector for _, vector in members]
            self._pieces.append(
                _Piece(
                    join(vectors),
                    None if factor is None else factor.deref(),
                    positions,
                    [vector.shape[0] for vector in vectors],
                )
            )
        for op, positions in whole.items():
            joined, factor = op.inputs[0].op.inputs
            sizes = [values[position].shape[0] for position in positions]
            self._pieces.append(_Piece(joined, factor, positions, sizes))

    def all_finite(self) -> tf.Tensor:
        """Whether every element of the unscaled tensors is finite, a bool scalar tensor.

        The loss scale must be at least 1: a number times a factor of at most 1 is finite if, and
        only if, both are. No tensors at all count as finite.
        """
        if not self._pieces:
            return tf.constant(True)
        factors = {p.factor.ref(): p.factor for p in self._pieces if p.factor is not None}
        tensors = [piece.tensor for piece in self._pieces]
        return every_element_is_finite([*tensors, *factors.values()])

    def unscaled(self) -> list[tf.Tensor]:
        """The tensors as they were given. To be called in the branch that applies them."""
        found = {
            position: tensor
            for piece in self._pieces
            for position, tensor in zip(piece.positions, piece.unscaled(), strict=True)
        }
        return [found[position] for position in range(len(found))]


def _scaled(value: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor | None]:
    """What a tensor was unscaled from, and the factor; the tensor itself if it was not."""
    return tuple(value.op.inputs) if _is_unscaling(value.op) else (value, None)


def _is_unscaling(op: Any) -> bool:
    return op.type == "Mul" and op.inputs[1].op in _factors


def _is_unscaled_whole(op: Any) -> bool:
    return op.type == "SplitV" and _is_unscaling(op.inputs[0].op)


def _is_all_of(op: Any, positions: Sequence[int], values: Sequence[tf.Tensor]) -> bool:
    """Whether tensors are all outputs of an operation, in order."""
    indices = [values[position].value_index for position in positions]
    return indices == list(range(len(op.outputs)))


def _grouped(pairs: Iterable[tuple[Any, int]]) -> dict[Any, list[int]]:
    groups: dict[Any, list[int]] = {}
    for key, position in pairs:
        groups.setdefault(key, []).append(position)
    return groups
