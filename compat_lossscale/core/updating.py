# SPDX-License-Identifier: Apache-2.0
"""Assigning to a few variables by a rule that is traced once, and called in every graph."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf
from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable

from compat_lossscale.core.traced import in_one_call


def update(
    variables: Sequence[tf.Variable],
    rule: Callable[..., Sequence[Any]],
    *numbers: float,
    given: Sequence[tf.Tensor] = (),
) -> Any:
    """Assigns to variables what a rule makes of their values.

    Args:
        variables: Variables of known shapes.
        rule: A module's function. It takes the values of the variables, then `given` and `numbers`,
            and returns as many values as there are variables.
        numbers: Python numbers, which become part of a graph.
        given: More tensors for the rule, of known shapes.

    Returns:
        `None` in eager mode, the operation that assigns in a graph.
    """
    if tf.executing_eagerly() or not all(map(_has_one_copy, variables)):
        values = in_one_call(rule, [*map(tf.convert_to_tensor, variables), *given], *numbers)
        assigned = zip(variables, values, strict=True)
        return tf.group(*(variable.assign(value, read_value=False) for variable, value in assigned))
    # Reading and assigning are half of the operations, so they go into the call as well.
    kinds = tuple((variable.dtype, tuple(variable.shape)) for variable in variables)
    handles = [variable.handle for variable in variables]
    return tf.group(in_one_call(_Assigning(rule, kinds), [*handles, *given], *numbers))


def _has_one_copy(variable: tf.Variable) -> bool:
    return isinstance(variable, BaseResourceVariable)


@dataclasses.dataclass(frozen=True)
class _Assigning:
    """A rule on the handles of variables, instead of on their values."""

    rule: Callable[..., Sequence[Any]]
    kinds: tuple[tuple[tf.DType, tuple[int, ...]], ...]

    def __call__(self, *arguments: Any) -> tf.Tensor:
        handles, others = arguments[: len(self.kinds)], arguments[len(self.kinds) :]
        values = [
            tf.ensure_shape(tf.raw_ops.ReadVariableOp(resource=handle, dtype=dtype), shape)
            for handle, (dtype, shape) in zip(handles, self.kinds, strict=True)
        ]
        new = self.rule(*values, *others)
        assigned = [
            tf.raw_ops.AssignVariableOp(resource=handle, value=value)
            for handle, value in zip(handles, new, strict=True)
        ]
        with tf.control_dependencies(assigned):
            return tf.identity(new[0])
