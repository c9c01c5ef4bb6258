# SPDX-License-Identifier: Apache-2.0
"""Gradients that a learning rate multiplies are unscaled by that multiplication.

Stochastic gradient descent, with momentum or without, does nothing with a gradient but multiply it
by the learning rate. A learning rate that was divided by the loss scale makes the same update of
the scaled gradient, which then is never unscaled in memory.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Sequence
from typing import Any

import tensorflow as tf
from tensorflow.core.framework.node_def_pb2 import NodeDef
from tensorflow.python.eager.polymorphic_function.atomic_function import AtomicFunction

from compat_lossscale.core.deferred import is_unscaling
from compat_lossscale.core.definitions import argument, define, in_this_graph, type_of
from compat_lossscale.core.traced import compiled_by_xla

_LARGE = 1 << 15
"""Elements of gradients from which to unscale them takes longer than what is done instead."""
_LEAST = 2.0**-64
"""What a learning rate is multiplied by at least: with less it could become 0."""
_APPLYING = {"ResourceApplyGradientDescent": (2, 1), "ResourceApplyKerasMomentum": (3, 2)}
"""Operations that multiply a gradient by a learning rate, and which of their inputs these are."""


def fold_into_learning_rates(gradients: Iterable[tf.Tensor], since: int = -1) -> None:
    """Has gradients applied as they were before they were unscaled, at lower learning rates.

    It is done where nothing else uses the unscaled gradient. The loss scale has to be a power of 2,
    so that to divide one or the other by it comes to the same, to the last bit.

    Args:
        gradients: Gradients that were unscaled and applied in the graph that is being built.
        since: The graph's version before they were applied. What is older is a user's own, who may
            use anything that was made of a gradient once more.
    """
    if compiled_by_xla() or not tf.compat.v1.executing_eagerly_outside_functions():
        return
    by_factor: dict[Any, dict[Any, list[_Use]]] = {}
    rates = _Rates()
    for gradient in filter(_is_unscaled_here, gradients):
        for use in _uses(gradient, since):
            by_rate = by_factor.setdefault(use.factor.ref(), {})
            by_rate.setdefault(rates.key(use.rate), []).append(use)
    for factor, by_rate in by_factor.items():
        large = [uses for uses in by_rate.values() if _elements(uses) >= _LARGE]
        if large:
            _fold(factor.deref(), large, rates)


def _fold(factor: tf.Tensor, uses_by_rate: Sequence[Sequence[_Use]], told: _Rates) -> None:
    uses = [use for some in uses_by_rate for use in some]
    rates = [some[0].rate for some in uses_by_rate]
    scaled = [use.scaled for use in uses]
    newest = max(*(one.op._id for one in (factor, *scaled)), *map(told.age, rates))
    if newest > min(use.user._id for use in uses):
        return  # What is newer than one of the uses could depend on it.
    of_rates = tf.raw_ops.Maximum(x=factor, y=_LEAST)
    rest = tf.raw_ops.RealDiv(x=factor, y=of_rates)
    products = tf.raw_ops.StatelessIf(
        cond=tf.raw_ops.Equal(x=rest, y=1.0),
        input=[of_rates, rest, *rates, *scaled],
        Tout=[factor.dtype] * len(rates + scaled),
        output_shapes=[tensor.shape for tensor in rates + scaled],
        then_branch=in_this_graph(_multiply(factor.dtype, len(rates), 0, len(scaled))),
        else_branch=in_this_graph(_multiply(factor.dtype, len(rates), len(scaled), 0)),
    )
    gradients = iter(products[len(rates) :])
    for rate, some in zip(products, uses_by_rate, strict=False):
        for use in some:
            use.replace(next(gradients), rate)


@functools.cache
def _multiply(dtype: tf.DType, by_first: int, by_second: int, by_none: int) -> AtomicFunction:
    """Makes a function of two factors, and so many tensors to multiply by each, or by none."""
    factors = [argument(0)] * by_first + [argument(1)] * by_second
    tensors = [argument(2 + number) for number in range(len(factors) + by_none)]
    nodes = [
        NodeDef(
            name=f"product_{number}",
            op="Mul",
            input=[tensors[number], factor],
            attr={"T": type_of(dtype)},
        )
        for number, factor in enumerate(factors)
    ]
    results = [*(f"{node.name}:z:0" for node in nodes), *tensors[len(nodes) :]]
    return define(
        f"compat_lossscale_multiply_{dtype.name}_{by_first}_{by_second}_{by_none}",
        [dtype] * (2 + len(tensors)),
        nodes,
        [(result, dtype) for result in results],
    )


class _Rates:
    """Tells which learning rates of a graph are the same, and how old they are."""

    def __init__(self) -> None:
        self._last_writes: dict[Any, int] = {}

    def key(self, rate: tf.Tensor) -> Any:
        """The same for learning rates that were read from one variable, since it was written to."""
        return rate.op.inputs[0].ref() if self._is_read(rate) else rate.ref()

    def age(self, rate: tf.Tensor) -> int:
        """The number of the newest operation that a learning rate may depend on."""
        number: int = self._last_write(rate.op.inputs[0]) if self._is_read(rate) else rate.op._id
        return number

    def _is_read(self, rate: tf.Tensor) -> bool:
        return (
            rate.op.type == "ReadVariableOp"
            and not rate.op.control_inputs
            and self._last_write(rate.op.inputs[0]) < rate.op._id
        )

    def _last_write(self, variable: tf.Tensor) -> int:
        if variable.ref() not in self._last_writes:
            users = [user for user in variable.consumers() if user.type != "ReadVariableOp"]
            self._last_writes[variable.ref()] = max((user._id for user in users), default=-1)
        return self._last_writes[variable.ref()]


@dataclasses.dataclass(frozen=True)
class _Use:
    """A multiplication of an unscaled gradient by a learning rate.

    Attributes:
        gradient: The unscaled gradient.
        user: The operation that takes it.
        gradient_at: Which of its inputs the gradient is.
        multiplies: The operation that multiplies by the learning rate.
        rate_at: Which of its inputs the learning rate is.
    """

    gradient: tf.Tensor
    user: Any
    gradient_at: int
    multiplies: Any
    rate_at: int

    @property
    def rate(self) -> tf.Tensor:
        """The learning rate."""
        return self.multiplies.inputs[self.rate_at]

    @property
    def scaled(self) -> tf.Tensor:
        """The gradient as it was before it was unscaled."""
        return self.gradient.op.inputs[0]

    @property
    def factor(self) -> tf.Tensor:
        """What the gradient was multiplied by to unscale it."""
        return self.gradient.op.inputs[1]

    def replace(self, gradient: tf.Tensor, rate: tf.Tensor) -> None:
        """Takes another gradient and another learning rate."""
        self.user._update_input(self.gradient_at, gradient)
        self.multiplies._update_input(self.rate_at, rate)


def _uses(gradient: tf.Tensor, since: int) -> list[_Use]:
    """The multiplications of a gradient by learning rates, if nothing else uses it."""
    users = gradient.consumers()
    uses = [_use(user, gradient) if user._id > since else None for user in users]
    multiplications = [use for use in uses if use is not None]
    return multiplications if len(multiplications) == len(uses) else []


def _use(user: Any, gradient: tf.Tensor) -> _Use | None:
    """How an operation multiplies a gradient by a learning rate, if it does nothing else."""
    if user.type in _APPLYING:
        gradient_at, rate_at = _APPLYING[user.type]
        return _Use(gradient, user, gradient_at, user, rate_at)
    # tf-keras' new optimizers compute -gradient * learning_rate.
    then = user.outputs[0].consumers() if user.type == "Neg" else []
    if [one.type for one in then] != ["Mul"]:
        return None
    [multiplies] = then
    negative, rate = multiplies.inputs
    is_rate = negative.op == user and rate.shape.rank == 0
    return _Use(gradient, user, 0, multiplies, 1) if is_rate else None


def _is_unscaled_here(gradient: tf.Tensor) -> bool:
    # In float16 a learning rate could become 0.
    return (
        tf.is_symbolic_tensor(gradient)
        and gradient.graph is tf.compat.v1.get_default_graph()
        and gradient.dtype in {tf.float32, tf.float64}
        and gradient.shape.is_fully_defined()
        and is_unscaling(gradient.op)
    )


def _elements(uses: Iterable[_Use]) -> int:
    return sum(use.gradient.shape.num_elements() for use in uses)
