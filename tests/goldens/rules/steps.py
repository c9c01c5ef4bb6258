# SPDX-License-Identifier: Apache-2.0
"""The steps of the recordings, and their compact form. Needs nothing but Python's library."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

STEPS = 10_000
PHASES = (0.02, 0.3, 0.02, 0.6, 0.0, 0.15)
"""The share of bad steps, in turn for a while each: the scale rises, falls and meets its bounds."""
PHASE = 250


def random_steps(seed: int, count: int = STEPS) -> Iterator[bool]:
    """Yields whether each step is finite."""
    chance = random.Random(seed)
    for step in range(count):
        yield chance.random() >= PHASES[step // PHASE % len(PHASES)]


def changes(scales: Iterable[float], first: float) -> list[list[float]]:
    """Returns `[step, scale]` for each step after which the scale is another one."""
    found, before = [], first
    for step, scale in enumerate(scales):
        if scale != before:
            found.append([step, scale])
        before = scale
    return found
