# SPDX-License-Identifier: Apache-2.0
"""The update rule of a dynamic loss scale, written once.

`compat_lossscale.core` and the tests call the same function. It takes the operations that it needs
as an argument: Python's by default, and TensorFlow's in a graph.
"""

from __future__ import annotations

import ctypes
import dataclasses
import math
import operator
from collections.abc import Callable
from typing import Any


@dataclasses.dataclass(frozen=True)
class Operations:
    """The operations on numbers that the update rule needs.

    Attributes:
        select: `select(condition, a, b)` is `a` if the condition is true, and otherwise `b`.
        divide: The quotient of two numbers, rounded once.
        maximum: The larger of two numbers.
        is_finite: Whether a number is neither infinite nor NaN.
        float32: Rounds to float32, in which TensorFlow keeps the loss scale.
    """

    select: Callable[[Any, Any, Any], Any]
    divide: Callable[[Any, Any], Any]
    maximum: Callable[[Any, Any], Any]
    is_finite: Callable[[Any], Any]
    float32: Callable[[Any], Any]


PYTHON = Operations(
    select=lambda condition, a, b: a if condition else b,
    divide=operator.truediv,
    maximum=max,
    is_finite=math.isfinite,
    float32=lambda number: ctypes.c_float(number).value,
)
"""The rule on Python numbers. Gives, to the bit, what float32 arithmetic gives."""


def next_state(
    scale: Any,
    good_steps: Any,
    all_finite: Any,
    *,
    growth_steps: int,
    multiplier: float,
    operations: Operations = PYTHON,
) -> tuple[Any, Any]:
    """Returns the loss scale and the count of good steps after one more step.

    The rule, which TensorFlow has kept unchanged from 1.14 to 2.21::

        if every gradient is finite:
            good_steps += 1
            if good_steps >= growth_steps:
                if scale * multiplier is finite:
                    scale = scale * multiplier
                good_steps = 0
        else:
            scale = max(scale / multiplier, 1)
            good_steps = 0

    Args:
        scale: The loss scale during the step, a float32 scalar.
        good_steps: Good steps in a row before this one, an integer scalar.
        all_finite: Whether every gradient of this step is finite: a bool, or a condition for
            `operations.select`.
        growth_steps: Good steps in a row after which the scale grows.
        multiplier: Factor of growth and backoff.
        operations: The arithmetic to use.

    Returns:
        The pair (scale, good_steps) for the next step.
    """
    ops = operations
    factor = ops.float32(multiplier)

    def after_good_step() -> tuple[Any, Any]:
        counted = good_steps + 1
        only_counts = counted < growth_steps
        grown = ops.float32(scale * factor)
        return (
            ops.select(only_counts, scale, ops.select(ops.is_finite(grown), grown, scale)),
            ops.select(only_counts, counted, 0),
        )

    def after_bad_step() -> tuple[Any, Any]:
        return ops.maximum(ops.float32(ops.divide(scale, factor)), 1.0), 0

    if isinstance(all_finite, bool):
        return after_good_step() if all_finite else after_bad_step()
    good, bad = after_good_step(), after_bad_step()
    return ops.select(all_finite, good[0], bad[0]), ops.select(all_finite, good[1], bad[1])
