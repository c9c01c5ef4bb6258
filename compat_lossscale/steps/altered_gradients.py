# SPDX-License-Identifier: Apache-2.0
"""Recognizes, in a graph, gradients that were clipped or zeroed while they were scaled.

Only the operations that make a gradient are looked at: those of `tf.clip_by_value`,
`tf.clip_by_norm` and `tf.clip_by_global_norm`, by type and name, and `tf.where` on a test of the
same tensor. In eager mode a tensor does not tell where it comes from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import tensorflow as tf

_CLIPS = {
    "Maximum": re.compile(r"(?P<scope>(?:.*/)?(?P<name>clip_by_value)(?:_\d+)?)"),
    "Identity": re.compile(
        r"(?P<scope>(?:.*/)?(?:(?P<name>clip_by_norm)(?:_\d+)?|"
        r"(?P<global>clip_by_global_norm)(?:_\d+)?(?=/_\d+$)))(?:/_\d+)?"
    ),
}
_TESTS = {"IsNan", "IsInf", "IsFinite"}
_OF_TESTS = {"LogicalNot", "LogicalAnd", "LogicalOr"}
_MANY = 60
"""So many operations say how a bound is computed, at most."""


def clipped_by(gradients: Iterable[Any], fixed_scale: float | None) -> str | None:
    """Tells by which function a gradient was clipped to a bound that ignores the loss scale.

    Args:
        gradients: Tensors, `tf.IndexedSlices` or `None`.
        fixed_scale: The loss scale if it is fixed, and `None` otherwise.

    Returns:
        The function's name; `None` if no gradient was clipped, or if a bound is computed from
        anything but constants, as it is where the bound is scaled too.
    """
    for operation in _operations_of(gradients):
        pattern = _CLIPS.get(operation.type)
        clip = pattern and pattern.fullmatch(operation.name)
        if clip and not _is_computed(operation, _scope_of(clip), fixed_scale):
            return f"tf.{clip['name'] or clip['global']}"
    return None


def are_zeroed(gradients: Iterable[Any]) -> bool:
    """Tells whether `tf.where` has replaced the NaNs or infinities of a gradient."""
    return any(
        operation.type in ("Select", "SelectV2")
        and any(
            _tests(operation.inputs[0], tensor)
            for tensor in operation.inputs[1:]
            if tensor.op.type != "Const"
        )
        for operation in _operations_of(gradients)
    )


def _operations_of(gradients: Iterable[Any]) -> list[tf.Operation]:
    """The operations that make gradients; of the eager ones that a function captures, none."""
    values = (one.values if isinstance(one, tf.IndexedSlices) else one for one in gradients)
    return [one.op for one in values if isinstance(one, tf.Tensor) and tf.is_symbolic_tensor(one)]


def _scope_of(clip: re.Match[str]) -> str:
    # tf.clip_by_global_norm names its results `scope/scope/_0`.
    scope = clip["scope"]
    half = scope[: len(scope) // 2]
    return half if scope == f"{half}/{half}" else scope


def _is_computed(clip: tf.Operation, scope: str, fixed_scale: float | None) -> bool:
    """Whether the bound of a clip depends on more than constants, or on the loss scale."""
    waiting, seen = [clip], {clip.name}
    while waiting:
        operation = waiting.pop()
        if len(seen) > _MANY or (not operation.inputs and _is_other(operation, fixed_scale)):
            return True
        for tensor in operation.inputs:
            # What is clipped is no scalar, and comes from outside.
            is_of_bound = tensor.shape.rank == 0 or tensor.op.name.startswith(f"{scope}/")
            if is_of_bound and tensor.op.name not in seen:
                seen.add(tensor.op.name)
                waiting.append(tensor.op)
    return False


def _is_other(operation: tf.Operation, fixed_scale: float | None) -> bool:
    """Whether an operation without inputs is no constant, or is the fixed loss scale."""
    if operation.type != "Const":
        return True
    value = tf.get_static_value(operation.outputs[0])
    return bool(value.size == 1 and value.dtype.kind == "f" and value.item() == fixed_scale)


def _tests(condition: tf.Tensor, tensor: tf.Tensor) -> bool:
    """Whether a condition says which elements of a tensor are finite."""
    operation = condition.op
    if operation.type in _OF_TESTS:
        return any(_tests(one, tensor) for one in operation.inputs)
    return operation.type in _TESTS and operation.inputs[0].name == tensor.name
