# SPDX-License-Identifier: Apache-2.0
"""Histories of runs that move by the update rule, as a logger with `every=1` records them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compat_lossscale import LossScaleRule
from compat_lossscale.spec import ScaleState, next_state

RULE = LossScaleRule(growth_steps=100)


def history_of(
    finite: Sequence[bool], *, initial_scale: float = 2.0**15, rule: LossScaleRule = RULE
) -> dict[str, list[Any]]:
    """The history of a run.

    Args:
        finite: Whether the gradients of each step are finite.
        initial_scale: The loss scale before the first step.
        rule: How it moves.
    """
    state, skipped = ScaleState(initial_scale, 0), 0
    history: dict[str, list[Any]] = {
        name: [] for name in ("step", "loss_scale", "good_steps", "skipped_steps")
    }
    for number, good in enumerate(finite, 1):
        state = next_state(state, good, rule.numbers)
        skipped += not good
        row = (number, state.scale, state.good_steps, skipped)
        for name, value in zip(history, row, strict=True):
            history[name].append(value)
    return history


def skipping(steps: int, *bad: int | range) -> list[bool]:
    """Steps of which some are bad.

    Args:
        steps: How many there are.
        *bad: The numbers of bad ones, from 0.
    """
    numbers = {n for one in bad for n in (one if isinstance(one, range) else (one,))}
    return [number not in numbers for number in range(steps)]
