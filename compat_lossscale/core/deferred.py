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
from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from compat_lossscale.core.finite import every_element_is_finite
from compat_lossscale.core.packing import Joined, alike, join, rows_of, short_kind, split

_unscalings: weakref.WeakSet[Any] = weakref.WeakSet()
"""The operations that unscale."""


def unscale_in_graph(values: Sequence[tf.Tensor], loss_scale: tf.Tensor) -> list[tf.Tensor]:
    """Divides tensors of a graph by the loss scale, the short ones among them all at once.

    Args:
        values: Tensors of any shape and floating-point dtype.
        loss_scale: The loss scale, a float32 scalar tensor.

    Returns:
        Tensors of the same shapes and dtypes.
    """
    factors = factors_of(loss_scale, values)
    joined = Joined(values)
    return joined.apart(_unscaled(one, factors[one.dtype]) for one in joined.tensors)


def _unscaled(tensor: tf.Tensor, factor: tf.Tensor) -> tf.Tensor:
    unscaled = tf.raw_ops.Mul(x=tensor, y=factor)
    _unscalings.add(unscaled.op)
    return unscaled


def is_unscaling(op: Any) -> bool:
    """Whether an operation unscales its first input, by multiplying it by the second."""
    return op in _unscalings


def factors_of(loss_scale: tf.Tensor, values: Sequence[tf.Tensor]) -> dict[tf.DType, tf.Tensor]:
    """What to multiply tensors by to unscale them, by their dtypes."""
    reciprocal = tf.raw_ops.RealDiv(x=1.0, y=loss_scale)
    # One cast a dtype, not one a gradient.
    return {dtype: tf.cast(reciprocal, dtype) for dtype in {value.dtype for value in values}}


@dataclasses.dataclass(frozen=True)
class _Piece:
    """Tensors that are checked and unscaled together.

    Attributes:
        tensor: The tensor, or several that were joined.
        factor: What to multiply it by; `None` if nothing.
        dtype: What to cast it to after that.
        positions: Which of the step's tensors it stands for.
        rows: How many rows each of them has.
    """

    tensor: tf.Tensor
    factor: tf.Tensor | None
    dtype: tf.DType
    positions: list[int]
    rows: list[int]

    def unscaled(self) -> list[tf.Tensor]:
        """The tensors that it stands for."""
        tensor = self.tensor
        if self.factor is not None:
            tensor = _unscaled(tensor, self.factor)
        # To cast takes long to trace, even where it does nothing.
        if tensor.dtype != self.dtype:
            tensor = tf.cast(tensor, self.dtype)
        return split(tensor, self.rows)


class DeferredUnscaling:
    """A step's tensors, traced back to what `unscale_in_graph` made them from.

    A cast to a wider dtype in between is put off as well: what is finite stays so.

    Args:
        values: Tensors of the graph that is being built, or eager ones.
    """

    def __init__(self, values: Sequence[tf.Tensor]) -> None:
        # An eager tensor has no operation that it could be traced back to.
        values = [one if tf.is_symbolic_tensor(one) else tf.identity(one) for one in values]
        self._pieces: list[_Piece] = []
        parts: dict[Any, list[int]] = {}
        for position, value in enumerate(values):
            parts.setdefault(_split_of(value), []).append(position)
        others = parts.pop(None, [])
        for (op, dtype), positions in parts.items():
            if _are_all_of(op, [values[position] for position in positions]):
                joined, factor = op.inputs[0].op.inputs
                rows = rows_of([values[position] for position in positions])
                self._pieces.append(_Piece(joined, factor, dtype, positions, rows))
            else:
                others.extend(positions)
        scaled = [_scaled(values[position]) for position in others]
        for together in alike(map(_kind, scaled)):
            _, factor, dtype = scaled[together[0]]
            members = [scaled[index][0] for index in together]
            positions = [others[index] for index in together]
            self._pieces.append(_Piece(join(members), factor, dtype, positions, rows_of(members)))

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


def _before_cast(value: tf.Tensor) -> tf.Tensor:
    """What a tensor was before a cast to a wider floating-point dtype; itself if there was none."""
    if value.op.type != "Cast":
        return value
    given = value.op.inputs[0]
    are_floating = given.dtype.is_floating and value.dtype.is_floating
    return given if are_floating and given.dtype.size < value.dtype.size else value


def _split_of(value: tf.Tensor) -> tuple[Any, tf.DType] | None:
    """The operation that took a tensor from others it was unscaled with, and the later dtype."""
    op = _before_cast(value).op
    is_part = op.type == "SplitV" and is_unscaling(op.inputs[0].op)
    return (op, value.dtype) if is_part else None


def _scaled(value: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor | None, tf.DType]:
    """What a tensor was unscaled from, the factor, and what it was cast to after that.

    A tensor that was not unscaled by itself stands for itself, without a factor.
    """
    op = _before_cast(value).op
    return (*op.inputs, value.dtype) if is_unscaling(op) else (value, None, value.dtype)


def _kind(scaled: tuple[tf.Tensor, tf.Tensor | None, tf.DType]) -> Any:
    """What has to be the same of tensors that are joined; `None` for one that is not."""
    tensor, factor, dtype = scaled
    kind = short_kind(tensor)
    return None if kind is None else (kind, None if factor is None else factor.ref(), dtype)


def _are_all_of(op: Any, values: Sequence[tf.Tensor]) -> bool:
    """Whether tensors, or what they were before a cast, are an operation's outputs, in order."""
    indices = [_before_cast(value).value_index for value in values]
    return indices == list(range(len(op.outputs)))
