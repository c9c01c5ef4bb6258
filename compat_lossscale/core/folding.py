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
from compat_lossscale.core.packing import members_of
from compat_lossscale.core.traced import compiled_by_xla

_LARGE = 1 << 15
"""Elements of gradients from which to unscale them takes longer than to look at the factor."""
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
    rates, origins = _Rates(), _Origins()
    for gradient in filter(_can_be_folded, gradients):
        for use in _uses(gradient, origins, since):
            by_rate = by_factor.setdefault(use.factor.ref(), {})
            by_rate.setdefault(rates.key(use.rate), []).append(use)
    for reference, by_rate in by_factor.items():
        factor = reference.deref()
        fold, least = (_fold_all, 0) if _rates_bear(factor) else (_fold, _LARGE)
        worth_it = [uses for uses in by_rate.values() if _elements(uses) >= least]
        if worth_it and _are_older(factor, worth_it, rates):
            fold(factor, worth_it)


def _rates_bear(factor: tf.Tensor) -> bool:
    """Whether it is known, as of a fixed loss scale, that a learning rate bears all of a factor."""
    quotient = factor.op.inputs[0].op if factor.op.type == "Cast" else factor.op
    if quotient.type != "RealDiv":
        return False
    loss_scale = tf.get_static_value(quotient.inputs[1])
    return loss_scale is not None and float(loss_scale) * _LEAST <= 1


def _are_older(factor: tf.Tensor, uses_by_rate: Sequence[Sequence[_Use]], told: _Rates) -> bool:
    """Whether all that is multiplied is older than any use, on which it then cannot depend."""
    uses = [use for some in uses_by_rate for use in some]
    tensors = [factor, *(use.scaled for use in uses)]
    newest: int = max(
        *(tensor.op._id for tensor in tensors), *(told.age(some[0].rate) for some in uses_by_rate)
    )
    oldest: int = min(use.user._id for use in uses)
    return newest <= oldest


def _fold_all(factor: tf.Tensor, uses_by_rate: Sequence[Sequence[_Use]]) -> None:
    """Folds a factor into learning rates; the gradients are used as they are."""
    for uses in uses_by_rate:
        rate = tf.raw_ops.Mul(x=uses[0].rate, y=factor)
        for use in uses:
            use.replace(use.scaled, rate)


def _fold(factor: tf.Tensor, uses_by_rate: Sequence[Sequence[_Use]]) -> None:
    """Folds as much of a factor as a learning rate bears; the gradients bear the rest."""
    rates = [some[0].rate for some in uses_by_rate]
    scaled = [use.scaled for some in uses_by_rate for use in some]
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
        scaled: The gradient as it was before it was unscaled.
        factor: What it was multiplied by.
        user: The operation that takes it.
        gradient_at: Which of its inputs the gradient is.
        multiplies: The operation that multiplies by the learning rate.
        rate_at: Which of its inputs the learning rate is.
    """

    gradient: tf.Tensor
    scaled: tf.Tensor
    factor: tf.Tensor
    user: Any
    gradient_at: int
    multiplies: Any
    rate_at: int

    @property
    def rate(self) -> tf.Tensor:
        """The learning rate."""
        return self.multiplies.inputs[self.rate_at]

    def replace(self, gradient: tf.Tensor, rate: tf.Tensor) -> None:
        """Takes another gradient and another learning rate."""
        self.user._update_input(self.gradient_at, gradient)
        self.multiplies._update_input(self.rate_at, rate)


class _Origins:
    """Tells what gradients of a graph were before they were unscaled."""

    def __init__(self) -> None:
        self._members: dict[Any, list[tf.Tensor]] = {}

    def of(self, gradient: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor] | None:
        """The gradient as it was, and what it was multiplied by; `None` if it was not."""
        op = gradient.op
        unscaling = op.inputs[0].op if op.type == "SplitV" else op
        if not is_unscaling(unscaling):
            return None
        scaled, factor = unscaling.inputs
        if unscaling is op:
            return scaled, factor
        if op not in self._members:
            self._members[op] = members_of(scaled, op)
        members = self._members[op]
        return (members[gradient.value_index], factor) if members else None


def _uses(gradient: tf.Tensor, origins: _Origins, since: int) -> list[_Use]:
    """The multiplications of a gradient by learning rates, if nothing else uses it."""
    origin = origins.of(gradient)
    if origin is None:
        return []
    users = gradient.consumers()
    uses = [_use(user, gradient, *origin) if user._id > since else None for user in users]
    multiplications = [use for use in uses if use is not None]
    return multiplications if len(multiplications) == len(uses) else []


def _use(user: Any, gradient: tf.Tensor, scaled: tf.Tensor, factor: tf.Tensor) -> _Use | None:
    """How an operation multiplies a gradient by a learning rate, if it does nothing else."""
    if user.type in _APPLYING:
        gradient_at, rate_at = _APPLYING[user.type]
        return _Use(gradient, scaled, factor, user, gradient_at, user, rate_at)
    # tf-keras' new optimizers compute -gradient * learning_rate.
    then = user.outputs[0].consumers() if user.type == "Neg" else []
    if [one.type for one in then] != ["Mul"]:
        return None
    [multiplies] = then
    negative, rate = multiplies.inputs
    is_rate = negative.op == user and rate.shape.rank == 0
    return _Use(gradient, scaled, factor, user, 0, multiplies, 1) if is_rate else None


def _can_be_folded(gradient: tf.Tensor) -> bool:
    # In float16 a learning rate could become 0.
    return (
        tf.is_symbolic_tensor(gradient)
        and gradient.graph is tf.compat.v1.get_default_graph()
        and gradient.dtype in {tf.float32, tf.float64}
        and gradient.shape.is_fully_defined()
    )


def _elements(uses: Iterable[_Use]) -> int:
    return sum(use.gradient.shape.num_elements() for use in uses)
