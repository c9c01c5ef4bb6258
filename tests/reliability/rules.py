# SPDX-License-Identifier: Apache-2.0
"""The loss-scale rules that every way to train is tried with, and the steps that move them."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from compat_lossscale.spec import LossScaleRule, ScaleState, next_state

if TYPE_CHECKING:
    from compat_lossscale import DynamicLossScale

INITIAL = 2.0**10
RULES = {
    "torch": LossScaleRule.torch(growth_interval=2),
    "deepspeed": LossScaleRule.deepspeed(scale_window=3, raise_error_at_min_scale=False),
    "consecutive": LossScaleRule.deepspeed(
        scale_window=4, delayed_shift=3, consecutive_hysteresis=True, raise_error_at_min_scale=False
    ),
    "apex": LossScaleRule.apex(scale_window=2, min_loss_scale=300.0, max_loss_scale=3000.0),
    "megatron": LossScaleRule.megatron(growth_interval=3, hysteresis=4, min_scale=30.0),
    "factors": LossScaleRule(growth_steps=2, growth_factor=1.5, backoff_factor=0.3, min_scale=0.5),
    "keras3": LossScaleRule.keras3(dynamic_growth_steps=2),
}
"""`test_rules` checks that each field of each of them acts within `random_steps(SHORT)`."""
DEFAULT = "tensorflow"
GROWTH_STEPS = 3
"""Of the default rule."""
NAMES = (DEFAULT, *RULES)
SHORT = 60
"""Steps after which each field has acted."""
TIMES = ((0.02, 15, 45), (0.9, 5, 20), (0.4, 5, 15))
"""In turn: the share of bad steps, and for how many steps at least and at most.

In the long run a scale without a floor must not come to 2 ** -126, below which TensorFlow flushes.
"""

SEED = 57
"""With which both holds."""


def loss_scale(name: str) -> DynamicLossScale:
    """Makes a loss scale that often moves, by one of `NAMES`."""
    from compat_lossscale import DynamicLossScale  # only here: it imports TensorFlow

    if name == DEFAULT:
        return DynamicLossScale(INITIAL, GROWTH_STEPS)
    return DynamicLossScale(INITIAL, rule=RULES[name])


def rule_of(name: str) -> LossScaleRule:
    """The rule of one of `NAMES`."""
    return RULES.get(name, LossScaleRule(growth_steps=GROWTH_STEPS))


def start(rule: LossScaleRule) -> ScaleState:
    """The state before the first step."""
    return ScaleState(INITIAL, 0, rule.hysteresis if rule.hysteresis > 1 else None)


def random_steps(count: int) -> Iterator[bool]:
    """Says of each step whether its gradients are finite. Good and bad times take turns."""
    chance = random.Random(SEED)

    def endless() -> Iterator[bool]:
        for bad, shortest, longest in itertools.cycle(TIMES):
            length = chance.randint(shortest, longest)
            yield from (chance.random() > bad for _ in range(length))

    return itertools.islice(endless(), count)


def path(rule: LossScaleRule, steps: Iterable[bool]) -> list[ScaleState]:
    """The states after each step by the pure rule."""
    state, states = start(rule), []
    for finite in steps:
        state = next_state(state, finite, rule.numbers)
        states.append(state)
    return states
