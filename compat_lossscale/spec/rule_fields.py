# SPDX-License-Identifier: Apache-2.0
"""Checks the values of the fields of a `LossScaleRule`, and the value of a fixed loss scale."""

from __future__ import annotations

import ctypes
import math
import numbers

from compat_lossscale.errors import LossScaleArgumentError

_MAX_COUNT = 2**53
"""The largest number of steps that a float64 can count."""


def checked_count(name: str, value: object, lowest: int) -> int:
    """Returns a number of steps, at least `lowest`, as an int."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if is_number and lowest <= value <= _MAX_COUNT and float(value).is_integer():  # type: ignore[operator, arg-type]  # it is
        return int(float(value))  # type: ignore[arg-type]  # it is a number
    raise refusal(name, f"a whole number from {lowest} to 2 ** 53", value)


def checked_number(name: str, value: object) -> float:
    """Returns a number that float32 can hold, as a float."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(float32(number)):
            return number
    raise refusal(name, "a number that is finite in float32", value)


def check_fixed_value(value: float) -> None:
    """Refuses a fixed loss scale that only float64 can hold.

    Raises:
        LossScaleArgumentError: It is. (It is a `ValueError`, as in TensorFlow 2.1 to 2.15, which
            raised it when the loss scale was read.)
    """
    if math.isfinite(value) and not math.isfinite(float32(value)):
        raise LossScaleArgumentError(
            f"The fixed loss scale {value:g} is infinite in float32, in which the loss is scaled, "
            "and so is every scaled loss. The largest one is about 3.4e38."
        )


def reciprocal(name: str, value: float) -> float:
    """Returns 1 divided by a number above 1."""
    if checked_number(name, value) <= 1:
        raise refusal(name, "greater than 1", value)
    return 1 / value


def refusal(name: str, bound: str, value: object) -> LossScaleArgumentError:
    """Returns the error about the value of a field."""
    return LossScaleArgumentError(
        f'"{name}" of a loss-scale rule must be {bound}, but is {value!r}.'
    )


def float32(number: float) -> float:
    """Rounds a number to float32."""
    return ctypes.c_float(number).value
