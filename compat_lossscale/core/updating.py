# SPDX-License-Identifier: Apache-2.0
"""Assigning to a few variables by rules that are traced once, and used in every graph."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import tensorflow as tf
from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable

from compat_lossscale.core.definitions import in_this_graph
from compat_lossscale.core.traced import call_of, in_one_call

Rule: TypeAlias = Callable[..., Sequence[Any]]
"""What a few variables' values become, as many as they are.

It takes the values of the variables. It is a module's function or a frozen dataclass: what is equal
is traced once.
"""


def update(variables: Sequence[tf.Variable], rule: Rule) -> Any:
    """Assigns to variables what a rule makes of their values.

    Args:
        variables: Variables of known shapes.
        rule: Says what they become.

    Returns:
        `None` in eager mode, the operation that assigns in a graph.
    """
    if tf.executing_eagerly():
        return assign(variables, rule(*map(tf.convert_to_tensor, variables)))
    return tf.group(updating(variables, rule)())


def updating(variables: Sequence[tf.Variable], rule: Rule) -> Callable[[], Any]:
    """What `update` does in a graph: wherever it can be, a `Call`."""
    if not _have_one_copy(variables):
        return lambda: assign(
            variables, in_one_call(rule, list(map(tf.convert_to_tensor, variables)))
        )
    # Reading and assigning are half of the operations, so they go into the call as well.
    handles = [variable.handle for variable in variables]
    assigning = _Assigning(rule, _kinds(variables))
    if not tf.compat.v1.executing_eagerly_outside_functions():
        return lambda: assigning(*handles)
    return call_of(assigning, handles)


def count_or_update(
    counter: tf.Variable,
    only_counts: Callable[[tf.Tensor], tf.Tensor],
    variables: Sequence[tf.Variable],
    rule: Rule,
) -> Any:
    """Adds 1 to a counter if that is all that is to be done, and else does `update`; in a graph.

    In a function these are two branches that were traced before, so that it costs next to nothing
    where the rule is seldom needed. The rule has to do for every case: elsewhere only it is used.

    Args:
        counter: One of the variables, an int64 scalar.
        only_counts: Is given the counter's value, and says whether to count is all: a bool scalar
            tensor.
        variables: Variables of known shapes.
        rule: Says what they become.

    Returns:
        The operation that assigns.
    """
    if not (_have_one_copy(variables) and tf.compat.v1.executing_eagerly_outside_functions()):
        return assign(variables, rule(*map(tf.convert_to_tensor, variables)))
    handles = [variable.handle for variable in variables]
    position = next(number for number, one in enumerate(variables) if one is counter)
    counts = call_of(_Counting(position), handles)
    updates = call_of(_Assigning(rule, _kinds(variables)), handles)
    return tf.group(
        tf.raw_ops.If(
            cond=only_counts(tf.convert_to_tensor(counter)),
            input=handles,
            Tout=[tf.bool],
            then_branch=in_this_graph(counts.function),
            else_branch=in_this_graph(updates.function),
        )
    )


def assign(variables: Sequence[tf.Variable], values: Sequence[Any]) -> Any:
    """Assigns a value to each variable; returns as `update` does."""
    return tf.group(
        *(
            variable.assign(value, read_value=False)
            for variable, value in zip(variables, values, strict=True)
        )
    )


def _have_one_copy(variables: Sequence[tf.Variable]) -> bool:
    return all(isinstance(variable, BaseResourceVariable) for variable in variables)


_Kinds: TypeAlias = tuple[tuple[tf.DType, tuple[int, ...]], ...]


def _kinds(variables: Sequence[tf.Variable]) -> _Kinds:
    return tuple((variable.dtype, tuple(variable.shape)) for variable in variables)


@dataclasses.dataclass(frozen=True)
class _Assigning:
    """A rule on the handles of variables, instead of on their values."""

    rule: Rule
    kinds: _Kinds

    def __call__(self, *handles: tf.Tensor) -> tf.Tensor:
        values = [
            tf.ensure_shape(tf.raw_ops.ReadVariableOp(resource=handle, dtype=dtype), shape)
            for handle, (dtype, shape) in zip(handles, self.kinds, strict=True)
        ]
        assigned = [
            tf.raw_ops.AssignVariableOp(resource=handle, value=value)
            for handle, value in zip(handles, self.rule(*values), strict=True)
        ]
        return _true_after(assigned)


@dataclasses.dataclass(frozen=True)
class _Counting:
    """Adds 1 to one of the variables whose handles it is given."""

    position: int

    def __call__(self, *handles: tf.Tensor) -> tf.Tensor:
        one = tf.constant(1, tf.int64)
        return _true_after(
            [tf.raw_ops.AssignAddVariableOp(resource=handles[self.position], value=one)]
        )


def _true_after(done: Sequence[tf.Operation]) -> tf.Tensor:
    """What both have to return, as two branches' results are alike."""
    with tf.control_dependencies(done):
        return tf.constant(True)
