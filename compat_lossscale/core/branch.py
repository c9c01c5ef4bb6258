# SPDX-License-Identifier: Apache-2.0
"""Taking one of two branches of a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2


def either(condition: tf.Tensor, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    """Does what `tf.cond` does, with less work for each tensor that the branches use.

    TensorFlow spreads a branch into the graph around it, with an operation for each tensor that
    goes in, so that its parts can run on several devices. Where there is but one device, the
    branch is left whole, and called.

    Args:
        condition: A bool scalar tensor.
        then: Does, or builds, what is done if the condition holds.
        otherwise: Does, or builds, what is done if not.

    Returns:
        What `tf.cond` returns.
    """
    result = tf.cond(condition, then, otherwise)
    in_function = not tf.executing_eagerly() and tf.compat.v1.executing_eagerly_outside_functions()
    if in_function and len(tf.config.list_logical_devices()) == 1:
        operations = reversed(tf.compat.v1.get_default_graph().get_operations())
        branching = next(op for op in operations if op.type in ("If", "StatelessIf"))
        branching._set_attr("_lower_using_switch_merge", attr_value_pb2.AttrValue(b=False))
    return result
