# SPDX-License-Identifier: Apache-2.0
"""Taking one of two branches of a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2

_FEW = 1 << 20
"""Elements up to which a branch is left whole."""


def either(
    condition: tf.Tensor,
    then: Callable[[], Any],
    otherwise: Callable[[], Any],
    using: Iterable[tf.Tensor],
) -> Any:
    """Does what `tf.cond` does in a graph, with less work for each tensor that the branches use.

    TensorFlow spreads a branch into the graph around it, with an operation for each tensor that
    goes in. Where there is but one device, and little to compute, the branch is left whole, and
    called. A call keeps its tensors until it ends, so large ones could not be overwritten in place.

    Args:
        condition: A bool scalar tensor.
        then: Does, or builds, what is done if the condition holds.
        otherwise: Does, or builds, what is done if not.
        using: The tensors that may be large among those that the branches use.

    Returns:
        What `tf.cond` returns.
    """
    result = tf.cond(condition, then, otherwise)
    if _in_function_on_one_device() and _are_few(using):
        operations = reversed(tf.compat.v1.get_default_graph().get_operations())
        branching = next(op for op in operations if op.type in ("If", "StatelessIf"))
        branching._set_attr("_lower_using_switch_merge", attr_value_pb2.AttrValue(b=False))
    return result


def _in_function_on_one_device() -> bool:
    return (
        tf.compat.v1.executing_eagerly_outside_functions()
        and not tf.distribute.has_strategy()
        and len(tf.config.list_logical_devices()) == 1
    )


def _are_few(tensors: Iterable[tf.Tensor]) -> bool:
    sizes = [tensor.shape.num_elements() for tensor in tensors]
    return None not in sizes and sum(sizes) <= _FEW
