# SPDX-License-Identifier: Apache-2.0
"""The update rule of a dynamic loss scale, written once.

`compat_lossscale.core`, the front end of Keras 3, `LossScaleState` and the tests call the same
function. It takes the operations that it needs as an argument: Python's by default, and those of
TensorFlow, Keras, JAX or PyTorch.
"""

from __future__ import annotations

import ctypes
import dataclasses
import math
from collections.abc import Callable
from typing import Any, NamedTuple

DEFAULT_INITIAL_SCALE = 2.0**15
"""The default first value of a dynamic loss scale, the same in every generation."""
DEFAULT_GROWTH_STEPS = 2000
"""The default number of good steps before a dynamic loss scale grows, in every generation."""
DEFAULT_MULTIPLIER = 2.0
"""The default factor of growth and backoff. TensorFlow 2.4 and later have no other."""


@dataclasses.dataclass(frozen=True)
class Operations:
    """The operations on numbers that the update rule needs.

    `select(condition, a, b)` is `a` if the condition is true, and otherwise `b`. `divide` rounds
    once. `float32` rounds to float32, in which TensorFlow keeps the loss scale.
    """

    select: Callable[[Any, Any, Any], Any]
    divide: Callable[[Any, Any], Any]
    maximum: Callable[[Any, Any], Any]
    minimum: Callable[[Any, Any], Any]
    is_finite: Callable[[Any], Any]
    float32: Callable[[Any], Any]


def _divide(dividend: float, divisor: float) -> float:
    """Divides by 0 too, as float32 arithmetic does: TensorFlow takes a multiplier of 0."""
    if divisor == 0:
        return dividend * math.inf
    return dividend / divisor


PYTHON = Operations(
    select=lambda condition, a, b: a if condition else b,
    divide=_divide,
    maximum=max,
    minimum=min,
    is_finite=math.isfinite,
    float32=lambda number: ctypes.c_float(number).value,
)
"""The rule on Python numbers. Gives, to the bit, what float32 arithmetic gives."""


class RuleNumbers(NamedTuple):
    """The numbers of an update rule, as the arithmetic needs them. They are not checked.

    They are fields of `LossScaleRule`, which says what they mean, except for `divisor`, by which
    the scale is divided after a bad step. `of_multiplier` gives those of TensorFlow's rule.
    """

    growth_steps: Any
    growth_factor: Any
    divisor: Any
    min_scale: Any = 1.0
    max_scale: Any = None
    hysteresis: Any = 1
    consecutive_hysteresis: Any = False
    growth_delay: Any = 0

    @classmethod
    def of_multiplier(cls, growth_steps: int, multiplier: float) -> RuleNumbers:
        """Returns the numbers of TensorFlow's rule, of which two can be chosen."""
        return cls(growth_steps, multiplier, multiplier)


class ScaleState(NamedTuple):
    """The live state of a dynamic loss scale.

    Attributes:
        scale: The loss scale, a float32 scalar.
        good_steps: Good steps in a row since it last changed, an integer scalar.
        hysteresis_left: Bad steps until it shrinks, an integer scalar; `None` if the first bad
            step shrinks it, which needs no state.
    """

    scale: Any
    good_steps: Any
    hysteresis_left: Any = None


def next_state(
    state: ScaleState, all_finite: Any, numbers: RuleNumbers, operations: Operations = PYTHON
) -> ScaleState:
    """Returns the state of a loss scale after one more step.

    The rule, which TensorFlow has kept unchanged from 1.14 to 2.21::

        if every gradient is finite:
            good_steps += 1
            if good_steps >= growth_steps:
                if scale * growth_factor is finite:
                    scale = scale * growth_factor
                good_steps = 0
        else:
            scale = max(scale / divisor, min_scale)
            good_steps = 0

    In TensorFlow, `growth_factor` and `divisor` are one number, and `min_scale` is 1. With a
    `max_scale`, the product is `min(scale * growth_factor, max_scale)`. With `hysteresis_left`, a
    bad step takes 1 from it while it is above 1, and leaves the scale. With a `growth_delay`,
    `good_steps` has to reach `growth_steps + growth_delay`, and restarts from `growth_delay` after
    growth.

    Args:
        state: The state during the step.
        all_finite: Whether every gradient of this step is finite: a bool, or a condition for
            `operations.select`.
        numbers: The numbers of the rule.
        operations: The arithmetic to use.

    Returns:
        The state for the next step.
    """
    ops = operations
    scale, good_steps, hysteresis_left = state

    def after_good_step() -> ScaleState:
        counted = good_steps + 1
        only_counts = counted < numbers.growth_steps + numbers.growth_delay
        grown = ops.float32(scale * ops.float32(numbers.growth_factor))
        if numbers.max_scale is not None:
            grown = ops.minimum(grown, ops.float32(numbers.max_scale))
        left = None
        if hysteresis_left is not None:
            refilled = numbers.hysteresis
            kept = ops.select(numbers.consecutive_hysteresis, refilled, hysteresis_left)
            left = ops.select(only_counts, kept, refilled)
        return ScaleState(
            ops.select(only_counts, scale, ops.select(ops.is_finite(grown), grown, scale)),
            ops.select(only_counts, counted, numbers.growth_delay),
            left,
        )

    def after_bad_step() -> ScaleState:
        quotient = ops.float32(ops.divide(scale, ops.float32(numbers.divisor)))
        shrunk = ops.maximum(quotient, ops.float32(numbers.min_scale))
        if hysteresis_left is None:
            return ScaleState(shrunk, 0)
        tolerated = hysteresis_left > 1
        return ScaleState(
            ops.select(tolerated, scale, shrunk),
            0,
            ops.select(tolerated, hysteresis_left - 1, hysteresis_left),
        )

    if isinstance(all_finite, bool):
        return after_good_step() if all_finite else after_bad_step()
    pairs = zip(after_good_step(), after_bad_step(), strict=True)
    return ScaleState(*(None if a is None else ops.select(all_finite, a, b) for a, b in pairs))
