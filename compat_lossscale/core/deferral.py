# SPDX-License-Identifier: Apache-2.0
"""In a graph, large gradients wait for the branch that applies them to be unscaled.

A step asks whether its gradients are finite, and then applies them or skips. Where the answer is
the same for the scaled gradients, unscaling can wait for it: a skipped step then does not unscale,
and an applied one does not hold all unscaled gradients at once. Under XLA, all of them wait.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from compat_lossscale.core import private, reference
from compat_lossscale.core.concatenation import Concatenated
from compat_lossscale.core.finite_check import every_element_is_finite, finite_by_sum
from compat_lossscale.core.reassociation import may_be_reassociated
from compat_lossscale.core.tracing import OneCall

_LARGE = 4096
"""Elements from which unscaling may wait: each tensor that waits takes operations in a branch."""
_waiting: weakref.WeakSet[Any] = weakref.WeakSet()
"""The operations that unscale a gradient that can wait: they multiply their two inputs."""


def unscale_now_or_later(tensors: Sequence[tf.Tensor], loss_scale: tf.Tensor) -> list[tf.Tensor]:
    """Divides tensors by the loss scale, so that `Deferred` finds the large ones as they were.

    Args:
        tensors: Tensors of any shape and floating-point dtype.
        loss_scale: The loss scale, a float32 scalar tensor.

    Returns:
        Tensors of the same shapes and dtypes, of the graph that is being built.
    """
    unscaled = reference.unscale_gradients(tensors, loss_scale)
    _waiting.update(
        after.op for before, after in zip(tensors, unscaled, strict=True) if _can_wait(before)
    )
    return unscaled


def _can_wait(tensor: tf.Tensor) -> bool:
    if private.compiled_by_xla():
        # Even a small one: XLA then stores no product. It may skip the rounding of smaller dtypes.
        return tensor.dtype in (tf.float32, tf.float64)
    elements = tensor.shape.num_elements()
    is_large = elements is None or elements >= _LARGE
    return is_large and not may_be_reassociated(tensor)


class Deferred:
    """A step's gradients in a graph, the large ones as they were before they were unscaled.

    Args:
        values: Tensors of the graph that is being built, or eager ones that it captures.
    """

    def __init__(self, values: Sequence[tf.Tensor]) -> None:
        # A captured tensor is one of the graph from here on, also in the branch.
        values = [tf.identity(one) if _is_eager(one) else one for one in values]
        self._concatenated = Concatenated(values, alone=_stays_alone)
        self._factors: dict[tf.DType, tf.Tensor] = {}
        self._tensors = [self._before_unscaling(one) for one in self._concatenated.tensors]

    def _before_unscaling(self, tensor: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor | None]:
        """What a tensor was multiplied by, and what it was before that."""
        if tensor.op not in _waiting:
            return tensor, None
        scaled, factor = tensor.op.inputs
        # All of a dtype have one factor, unless gradients were unscaled twice over.
        one = self._factors.setdefault(factor.dtype, factor)
        return (scaled, one) if _before_cast(one) is _before_cast(factor) else (tensor, None)

    def all_finite(self) -> tf.Tensor:
        """Whether every element of the unscaled gradients is finite, a bool scalar tensor."""
        scaled = [tensor for tensor, factor in self._tensors if factor is not None]
        others = [tensor for tensor, factor in self._tensors if factor is None]
        if not scaled:
            return every_element_is_finite(others)
        if private.compiled_by_xla():  # It computes the products where it asks.
            return every_element_is_finite(self._concatenated.tensors)
        finite = _ask_scaled([*self._factors.values(), *scaled])
        return tf.logical_and(finite, every_element_is_finite(others)) if others else finite

    def unscaled(self) -> list[tf.Tensor]:
        """The gradients' values as they were given. Call it in the branch that applies them."""
        return self._concatenated.split(
            tensor if factor is None else _product(tensor, factor)
            for tensor, factor in self._tensors
        )


def _product(tensor: tf.Tensor, factor: tf.Tensor) -> tf.Tensor:
    """What a finite step's unscaled gradient is, rounded as in the reference."""
    product = tf.raw_ops.Mul(x=tensor, y=factor)
    if not private.compiled_by_xla():
        return product
    # XLA computes a product and a sum that follows it as one, with one rounding. This selection,
    # whose condition always holds here, keeps them apart.
    return tf.where(tf.math.is_finite(product), product, tensor)


def _stays_alone(tensor: tf.Tensor) -> bool:
    """Whether a product has to meet the branch as it does in the reference; no sum of replicas."""
    return tensor.op.type != "AddN" and may_be_reassociated(tensor)


def _is_eager(tensor: tf.Tensor) -> bool:
    return not tf.is_symbolic_tensor(tensor)


def _before_cast(factor: tf.Tensor) -> tf.Tensor:
    return factor.op.inputs[0] if factor.op.type == "Cast" else factor


def _scaled_are_finite(tensors: list[tf.Tensor]) -> tf.Tensor:
    """Whether scaled tensors are finite once each is multiplied by the factor of its dtype.

    Args:
        tensors: Scalars, each a factor and each of another dtype, and then the tensors.
    """
    dtypes = {tensor.dtype for tensor in tensors}
    factors = {factor.dtype: factor for factor in tensors[: len(dtypes)]}
    scaled = tensors[len(dtypes) :]
    # A factor of at most 1 leaves what is finite so. One above 1, of a loss scale below 1, may not.
    certain = [tf.abs(factor) <= 1 for factor in factors.values()]
    return finite_by_sum(scaled, certain, lambda: [one * factors[one.dtype] for one in scaled])


_ask_scaled = OneCall(_scaled_are_finite)
