# SPDX-License-Identifier: Apache-2.0
"""Odd numbers in a loss-scale config: those that cannot train, and those that train differently.

Their behavior was tried with TensorFlow 2.1, 2.3, 2.4, tf-keras 2.21 and Keras 3.15.
"""

from __future__ import annotations

import ctypes
import math

from compat_lossscale.errors import LossScaleArgumentError
from compat_lossscale.spec import Generation, LossScaleSpec

MAX_GROWTH_STEPS = 2**63 - 1
"""The largest number that the counter of good steps can be compared with."""


def refuse_impossible(spec: LossScaleSpec) -> None:
    """Refuses a loss scale with which no generation takes a good step.

    Args:
        spec: The loss scale that a config states.

    Raises:
        LossScaleArgumentError: It cannot train. The message says why.
    """
    scale = _float32(spec.initial_scale)
    if math.isinf(scale):
        raise LossScaleArgumentError(
            f"A loss scale of {spec.initial_scale:g} is infinite as float32, so no step is ever "
            "good. Use a smaller one."
        )
    if scale == 0 and not spec.dynamic:
        raise LossScaleArgumentError(
            f"A fixed loss scale of {spec.initial_scale:g} is zero as float32, so every gradient "
            "is NaN. Use 1 for no scaling."
        )
    if spec.growth_steps is not None and spec.growth_steps > MAX_GROWTH_STEPS:
        raise LossScaleArgumentError(
            f"{spec.growth_steps} good steps before growth exceed the 64-bit integer of the "
            "counter, so no step can be taken. Use a smaller number."
        )


def lost(spec: LossScaleSpec, source: Generation, target: Generation) -> dict[str, str]:
    """Returns the fields with another meaning in another generation, each with the reason."""
    if not spec.dynamic or not _crosses(source, target):
        return {}
    reasons = {}
    if _float32(spec.initial_scale) == 0:
        reasons["initial_scale"] = (
            "a loss scale of 0 stays 0 in Keras 3, and makes every gradient NaN; TensorFlow and "
            "tf-keras skip the first step and continue with 1"
        )
    if _grows_always(spec):
        reasons["growth_steps"] = (
            "with it Keras 3 never grows the loss scale; TensorFlow and tf-keras grow it after "
            "every good step"
        )
    return reasons


def noted(spec: LossScaleSpec, source: Generation, target: Generation) -> dict[str, str]:
    """Returns odd fields that keep their meaning, each with the reason."""
    if not spec.dynamic or source is target:
        return {}
    reasons = {}
    scale = _float32(spec.initial_scale)
    if _crosses(source, target):
        if scale < 1 and scale != 0:
            reasons["initial_scale"] = (
                "it is below 1: when a gradient overflows, Keras 3 halves it, and TensorFlow and "
                "tf-keras set it to 1"
            )
        return reasons
    if scale == 0:
        reasons["initial_scale"] = (
            "the first step is skipped in both, and the scale continues with 1"
        )
    if _grows_always(spec):
        reasons["growth_steps"] = "the scale grows after every good step, in both"
    return reasons


def _crosses(source: Generation, target: Generation) -> bool:
    return (source is Generation.KERAS3) != (target is Generation.KERAS3)


def _grows_always(spec: LossScaleSpec) -> bool:
    return spec.growth_steps is not None and spec.growth_steps < 1


def _float32(value: float) -> float:
    return ctypes.c_float(value).value
